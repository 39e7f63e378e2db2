"""The OpenAPI document: it covers what there is, and says what is true."""

import re

from companion.shelf import GAMES


def addresses(app):
    """(address, methods) of every route of the API, as OpenAPI writes them."""
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/") or rule.rule in ("/healthz", "/metrics"):
            yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), (rule.methods or set()) - {"HEAD", "OPTIONS"}


def test_every_route_is_described_and_every_description_is_a_route(client):
    paths = client.get("/api/openapi.json").json["paths"]
    described = {(path, method.upper()) for path, methods in paths.items() for method in methods}
    assert described == {(path, method) for path, methods in addresses(client.application) for method in methods}


def test_every_reference_points_to_a_schema(client):
    text = client.get("/api/openapi.json").text
    schemas = client.get("/api/openapi.json").json["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/(\w+)"', text)) <= set(schemas)


def test_every_event_of_every_game_is_described(client):
    schemas = client.get("/api/openapi.json").json["components"]["schemas"]
    kinds = {schema.get("properties", {}).get("kind", {}).get("const") for schema in schemas.values()}
    assert {kind.__name__ for game in GAMES.values() for kind in game.rules.events} <= kinds


def test_every_body_is_closed(client):
    schemas = client.get("/api/openapi.json").json["components"]["schemas"]
    bodies = [schemas[name] for name in ("PostEvent", "Undo", "Strike", "Amend", "Confirm", "Correct")]
    for body in (*bodies, *schemas["NewSession"]["oneOf"]):
        assert body["additionalProperties"] is False


def test_a_new_session_is_described_for_each_game_with_its_seats(client):
    kinds = client.get("/api/openapi.json").json["components"]["schemas"]["NewSession"]["oneOf"]
    seats = {
        kind["properties"]["game"]["const"]: (
            kind["properties"]["players"]["minItems"],
            kind["properties"]["players"]["maxItems"],
        )
        for kind in kinds
    }
    assert seats == {game.rules.name: game.rules.seats for game in GAMES.values()}


def test_the_page_to_read_has_every_operation_and_every_schema(client):
    document = client.get("/api/openapi.json").json
    page = client.get("/api/docs").text
    for path, methods in document["paths"].items():
        assert f"<code>{path}</code>" in page
        for one in methods.values():
            assert one["summary"].replace("'", "&#39;") in page
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in page
    assert set(re.findall(r'href="#(\w+)"', page)) - {"content"} <= set(document["components"]["schemas"])
