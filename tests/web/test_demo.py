"""The demo's table as a page: it moves wood and plastic, and refuses with a sentence."""

import json
import re

import pytest

from companion.demo.button_box import BoxState
from companion.demo.stacks import EMPTY
from companion.demo.things import stack_of
from companion.equipment.deck import Way
from companion.game.readings import Kind
from companion.game.seeing import Eyes
from companion.shelf import GAMES
from web.pages.demo import seated


def test_dice_are_rolled_moved_and_cleared(demo_client, host):
    assert demo_client.get("/table").status_code == 200
    assert demo_client.post("/table/roll", json={"count": 2}).status_code == 200
    first = host.outside.demo.snapshot().dice[0]
    assert demo_client.post("/table/move", json={"key": first.key, "x_mm": 390, "y_mm": 290}).status_code == 200
    assert demo_client.post("/table/roll", json={"keys": [first.key]}).status_code == 200
    assert demo_client.post("/table/clear").status_code == 200
    assert host.outside.demo.snapshot().dice == ()


def test_players_of_stack_drop_their_own_dice_and_put_them_onto_each_other(demo_client, host):
    host.outside.demo.prepare(
        GAMES["stack_dice"].sight.eyes(GAMES["stack_dice"].rules.start(GAMES["stack_dice"].rules.options(), ("a", "b")))
    )
    assert demo_client.post("/table/roll", json={"each": 14}).status_code == 200
    assert sorted({die.colour for die in host.outside.demo.snapshot().dice}) == ["blue", "red"]
    assert len(host.outside.demo.snapshot().dice) == 28
    for path, body in [
        ("put", {"key": "red-1", "onto": "blue-1"}),
        ("put", {"key": "red-3", "onto": "red-1"}),
        ("put-down", {"key": "red-3", "x_mm": 4, "y_mm": 4}),
        ("put", {"key": "red-2", "onto": "red-1"}),
        ("turn", {"key": "red-2"}),
        ("collapse", {"key": "red-2"}),
        ("rebuild", {}),
    ]:
        assert demo_client.post(f"/table/dice/{path}", json=body).status_code == 200
    assert [die.key for die in stack_of(host.outside.demo.snapshot(), "red-1")] == ["blue-1", "red-1", "red-2"]
    assert demo_client.post("/table/dice/take-off", json={"key": "red-2"}).status_code == 200
    assert len(host.outside.demo.snapshot().dice) == 25


def test_stacks_grow_fall_and_are_taken_apart(demo_client, host):
    for action, blocks, standing in [
        ("build", 1, True),
        ("finish", 5, True),
        ("build-wrong", 5, True),
        ("knock-over", 5, False),
        ("take-apart", 0, True),
    ]:
        assert demo_client.post(f"/table/stacks/2/{action}").status_code == 200
        stack = host.outside.demo.blocks.stack(2)
        assert (len(stack.blocks), stack.standing) == (blocks, standing)


def test_a_stack_is_built_freely_and_its_last_block_taken_off(demo_client, host):
    for way, x_mm in (("up_y", -15), ("up_y", 15.0), ("flat_x", 2.5)):
        assert demo_client.post("/table/stacks/3/put", json={"way": way, "x_mm": x_mm}).status_code == 200
    assert [block.foot_mm for block in host.outside.demo.blocks.stack(3).blocks] == [0, 0, 45]
    assert demo_client.post("/table/stacks/3/take-off").status_code == 200
    assert len(host.outside.demo.blocks.stack(3).blocks) == 2


def test_the_page_offers_the_six_ways_as_drawings(demo_client, monkeypatch):
    monkeypatch.setattr("web.pages.demo.box_state", lambda _physical: BoxState((), None, ("seat-1",)))
    page = demo_client.get("/table").text
    offered = re.findall(r'name="way-1" value="(\w+)" data-across-mm="([\d.]+)" data-upright-mm="([\d.]+)"', page)
    assert [way for way, _across, _upright in offered] == list(Way)
    assert len({(across, upright) for _way, across, upright in offered}) == 6


@pytest.mark.parametrize(
    "body",
    [
        b'{"way": "leaning", "x_mm": 0}',
        b'{"way": 3, "x_mm": 0}',
        b'{"way": "flat_x"}',
        b'{"x_mm": 0}',
        b'{"way": "flat_x", "x_mm": NaN}',
        b'{"way": "flat_x", "x_mm": 1e999}',
        b'{"way": "flat_x", "x_mm": 5000}',
        b'{"way": "flat_x", "x_mm": 60}',
        b'{"way": "flat_x", "x_mm": "0"}',
        b'{"way": "flat_x", "x_mm": true}',
        b'{"way": "flat_x", "x_mm": null}',
        b'{"way": "flat_x", "x_mm": 0, "y_mm": 0}',
        b"[]",
        b"",
    ],
)
def test_a_block_that_cannot_be_put_so_is_one_sentence(demo_client, host, body):
    headers = {"X-Requested-With": "companion"}
    refused = demo_client.post("/table/stacks/1/put", data=body, content_type="application/json", headers=headers)
    assert (refused.status_code, set(refused.json)) == (400, {"error"})
    assert host.outside.demo.blocks.stack(1) == EMPTY


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/table/roll", {"count": 1000}, 400),
        ("/table/roll", {"keys": ["none"]}, 400),
        ("/table/roll", {"each": 14}, 400),
        ("/table/dice/put", {"key": "none", "onto": "other"}, 400),
        ("/table/dice/turn", {"key": "none"}, 400),
        ("/table/dice/rebuild", {}, 400),
        ("/table/dice/explode", {"key": "none"}, 404),
        ("/table/move", {"key": "none", "x_mm": 1, "y_mm": 1}, 400),
        ("/table/press", {"button": "seat-1"}, 400),
        ("/table/stacks/99/build", {}, 400),
        ("/table/stacks/1/explode", {}, 404),
        ("/table/stacks/1/take-off", {}, 400),
        ("/table/stacks/99/put", {"way": "flat_x", "x_mm": 0}, 400),
    ],
)
def test_what_cannot_be_done_is_one_sentence(demo_client, path, body, status):
    refused = demo_client.post(path, json=body, headers={"X-Requested-With": "companion"})
    assert (refused.status_code, set(refused.json)) == (status, {"error"})


def test_a_box_is_loaded_and_taken_back(demo_client, host):
    card = {"columns": 2, "rows": 1, "levels": 2, "loading_area_row_col": [[1, 1]]}
    host.outside.demo.prepare(Eyes(above=Kind.LOAD, knows={"truck_cards": [card]}))
    square = {"truck": 0, "row": 0, "column": 0}
    for path, body in [
        ("deal", {"counts": [0, 1, 0, 0, 0]}),
        ("load", {**square, "size": 2, "along": "x"}),
        ("unload", square),
    ]:
        assert demo_client.post(f"/table/boxes/{path}", json=body).status_code == 200
    assert [box.z_mm for box in host.outside.demo.snapshot().boxes] == [0.0]


def test_a_card_is_laid_and_taken_away(demo_client, host):
    host.outside.demo.prepare(Eyes(above=Kind.CARD))
    for number in (7, None):
        assert demo_client.post("/table/card", json={"number": number}).status_code == 200
        assert host.outside.demo.snapshot().card == number
    refused = demo_client.post("/table/card", json={"number": 46}, headers={"X-Requested-With": "companion"})
    assert refused.status_code == 400
    assert "no card 46" in refused.json["error"]


def test_another_game_begins_with_an_empty_table(demo_client, host):
    host.create("sandpile_panic", ["Ann", "Bob"], {})
    host.outside.demo.prepare(Eyes(above=Kind.BOARD))
    host.outside.demo.pieces.put(0, 0, "white")
    host.outside.demo.blocks.finish(1)
    again = host.create("sandpile_panic", ["Ann", "Bob"], {})
    assert host.outside.demo.snapshot().pieces == ()
    assert host.outside.demo.snapshot().mat == "board"
    assert host.outside.demo.blocks.stack(1) == EMPTY
    host.outside.demo.pieces.put(0, 0, "white")
    host.active.hold(again.session.id)
    assert len(host.outside.demo.snapshot().pieces) == 1


def test_the_stream_tells_the_whole_table_and_each_change(demo_client, host):
    response = demo_client.get("/table/stream")
    chunks = (chunk.decode() for chunk in response.response if b"data: " in chunk)
    assert json.loads(next(chunks).split("data: ")[1])["table"]["dice"] == []
    host.outside.demo.dice.roll(count=2)
    assert len(json.loads(next(chunks).split("data: ")[1])["table"]["dice"]) == 2
    response.close()


def test_a_seat_of_somebody_who_was_deleted_is_told_in_the_readers_language(demo_client, host, monkeypatch):
    monkeypatch.setattr("web.pages.demo.box_state", lambda _physical: BoxState((), None, ("seat-1", "seat-2")))
    host.create("sack_stackers", ["Ann", "Bob"], {}, remember=["Ann"])
    (ann,) = host.people.everybody()
    host.erase_person(ann.id)
    assert seated(host)["names"] == ["", "Bob"]
    demo_client.set_cookie("language", "de")
    assert "jemand" in demo_client.get("/table").text  # among the words that the page brings for its scripts


def test_who_sits_at_the_table_is_told_to_a_page_that_stays_open(demo_client, host):
    chunks = demo_client.get("/table/stream", buffered=False).iter_encoded()

    def told():
        return json.loads(
            next(chunk for chunk in map(bytes.decode, chunks) if "event: table" in chunk).split("data: ")[1]
        )

    assert told()["seated"] == {"game": None, "blocks": True, "looks": True, "names": []}
    game = host.create("sack_stackers", ["Ann", "Bob"], {})
    assert told()["seated"] == {"game": game.session.id, "blocks": False, "looks": True, "names": ["Ann", "Bob"]}
    other = host.create("samestax", ["Cid", "Dora", "Eve"], {})  # no camera above has anything to look for
    names = ["Cid", "Dora", "Eve"]
    assert told()["seated"] == {"game": other.session.id, "blocks": True, "looks": False, "names": names}
