"""Events and options as JSON."""

from companion.games.sack_stackers.events import Coal, Placed, When
from companion.journal import codec
from companion.shelf import GAMES


def test_defaults_are_written_out():
    """A game must replay the same when a later version has another default."""
    game = GAMES["sack_stackers"]
    options = codec.options_to_json(codec.options_from_json(game, {}))
    assert options["mirror"] is True
    assert set(options) == {"pattern_map", "mirror", "overlap", "exact_groups", "altered_range", "voluntary_coal"}


def test_an_event_on_the_wire():
    game = GAMES["sack_stackers"]
    event = Placed("p", 1, 2, "?", "T", 5, (), (Coal(3, When.BEFORE),))
    data = {
        "kind": "Placed", "player": "p", "gift_die": 1, "section": 2, "box": "?", "gift": "T", "column": 5, "marks": [],
        "coal": [{"column": 3, "when": "before"}],
    }  # fmt: skip
    assert codec.event_to_json(event) == data
    assert codec.event_to_json(codec.event_from_json(game, data)) == data


def test_schemas_name_every_kind_once():
    for game in GAMES.values():
        schema, components = codec.event_schema(game)
        assert len(schema["oneOf"]) == len(game.rules.events)
        for reference in schema["oneOf"]:
            assert reference["$ref"].rsplit("/", 1)[1] in components
