"""The demo's physical table as a page: its dice, stacks and buttons to move, its lamps and buzzer to see.

The page moves only the things themselves. The game learns of that through the virtual camera and the box's pins.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
from flask import Blueprint, Response, render_template

from companion.demo.blocks import SEATS, Blocks
from companion.demo.boxes import on_table
from companion.demo.button_box import BoxState
from companion.demo.dice import DICE_EACH
from companion.demo.hands import MOST_DICE, Dice
from companion.demo.squares import squares
from companion.demo.stacks import HIGHEST_MM, SPACE_MM, WAY_NAMES, laid
from companion.demo.table import DemoTable
from companion.demo.things import DIE_MM, HEIGHT_MM, PIECE_COLOURS, UNIT_MM, WIDTH_MM, VirtualTable
from companion.equipment.deck import CARDS, Way
from companion.equipment.mat import Kind, mat
from companion.errors import BadInput, NotFound
from companion.foreign import read_json
from companion.house.host import Host
from companion.words import _
from web.api import demo_requests, requests, responses
from web.house import host
from web.live.stream import HEARTBEAT_S, event_stream, message

demo = Blueprint("demo", __name__, url_prefix="/table")

FEW_SEATS = 4  # shown while nobody has sat down; the box may have more
LOOK_S = 0.05  # lamps have no topic of their own, so they are polled as often as an eye would notice
STACK_ACTIONS: dict[str, Callable[[Blocks, int], None]] = {
    "build": Blocks.build,
    "finish": Blocks.finish,
    "build-wrong": Blocks.build_wrong,
    "knock-over": Blocks.knock_over,
    "take-off": Blocks.take_block_off,
    "take-apart": Blocks.take_apart,
}

DICE_ACTIONS: dict[str, Callable[[Dice, str], None]] = {
    "turn": Dice.turn,
    "take-off": Dice.take_off,
    "collapse": Dice.collapse,
}


def table() -> DemoTable:
    """The demo's table; without one this blueprint is not registered."""
    demo_table = host().outside.demo
    assert demo_table is not None
    return demo_table


@demo.get("")
def table_page() -> str:
    """The table seen from above, the stacks from the front, and the button box."""
    buttons = box_state(table()).buttons
    return render_template(
        "table.html",
        seats=[seat for seat in SEATS if f"seat-{seat}" in buttons],
        buttons=buttons,
        few_seats=FEW_SEATS,
        most_dice=MOST_DICE,
        width_mm=WIDTH_MM,
        height_mm=HEIGHT_MM,
        die_mm=DIE_MM,
        dice_each=DICE_EACH,
        cards=CARDS,
        piece_colours=PIECE_COLOURS,
        ways=[(way, WAY_NAMES[way], laid(way, 0.0)) for way in Way],
        space_mm=SPACE_MM,
        highest_mm=HIGHEST_MM,
    )


def seated(house: Host) -> dict[str, Any]:
    """The active game, for a page that stays open through many games.

    game    its session, or None
    blocks  whether it is played with blocks
    looks   whether the camera above looks for anything now
    names   the players at seat 1, 2, …
    """
    if house.active.session is None:
        return {"game": None, "blocks": True, "looks": True, "names": []}
    table = house.table(house.active.session)
    names = [table.names.get(player, "") for player in table.session.players]
    blocks = table.game.rules.family is not None and table.game.rules.family.blocks
    looks = table.game.sight.eyes(table.state).above is not None
    return {"game": table.session.id, "blocks": blocks, "looks": looks, "names": names}


def box_state(physical: DemoTable) -> BoxState:
    """The state of the box, without any buttons if there is no box."""
    try:
        return physical.buttons.box_state()
    except BadInput:
        return BoxState((), None, ())


def snapshot(physical: DemoTable) -> dict[str, Any]:
    """Everything the page draws."""
    return {
        "table": msgspec.to_builtins(physical.snapshot()),
        "squares": [msgspec.to_builtins(square) for square in squares(physical.snapshot())],
        "card_spot": card_spot(physical.snapshot()),
        "unit_mm": UNIT_MM,
        "stacks": {str(seat): msgspec.to_builtins(physical.blocks.stack(seat)) for seat in SEATS},
        "box": msgspec.to_builtins(box_state(physical)),
    }


def card_spot(laid: VirtualTable) -> tuple[float, float] | None:
    """The middle of the card on the table, or None."""
    return None if laid.card is None else on_table(mat(laid.mat).zones_of(Kind.CARD)[0].middle_mm)


@demo.get("/stream")
def table_stream() -> Response:
    """The event stream of the whole table, sent each time something has changed."""
    return event_stream(TableFeed(table(), host()))


class TableFeed:
    """The feed of the table's stream."""

    topics: tuple[str, ...] = ("table",)
    pause_s = LOOK_S
    is_behind = False

    def __init__(self, physical: DemoTable, house: Host) -> None:
        self._physical, self._house = physical, house
        self._sent, self._sent_s = "", 0.0

    def news(self, topic: str | None) -> str:
        now = json.dumps({**snapshot(self._physical), "seated": seated(self._house)})
        now_s = time.monotonic()
        if now != self._sent:
            self._sent, self._sent_s = now, now_s
            return message("table", read_json(now))
        if now_s - self._sent_s > HEARTBEAT_S:
            self._sent_s = now_s
            return message("beat", {})
        return ""


@demo.post("/roll")
def roll() -> Response:
    body = requests.body(demo_requests.Roll)
    table().dice.roll(body.keys, body.count, body.each)
    return done()


@demo.post("/move")
def move() -> Response:
    body = requests.body(demo_requests.Move)
    table().dice.move(body.key, body.x_mm, body.y_mm)
    return done()


@demo.post("/clear")
def clear() -> Response:
    table().dice.clear()
    return done()


@demo.post("/dice/<action>")
def die(action: str) -> Response:
    if action not in DICE_ACTIONS:
        raise NotFound(_("You can't do that with a die."))
    DICE_ACTIONS[action](table().dice, requests.body(demo_requests.OneDie).key)
    return done()


@demo.post("/dice/put")
def put_onto() -> Response:
    body = requests.body(demo_requests.PutOnto)
    table().dice.put_onto(body.key, body.onto)
    return done()


@demo.post("/dice/put-down")
def put_down() -> Response:
    body = requests.body(demo_requests.Move)
    table().dice.put_down(body.key, body.x_mm, body.y_mm)
    return done()


@demo.post("/dice/rebuild")
def rebuild() -> Response:
    table().dice.rebuild()
    return done()


@demo.post("/press")
def press() -> Response:
    table().buttons.press(requests.body(demo_requests.Finger).button)
    return done()


@demo.post("/release")
def release() -> Response:
    table().buttons.release(requests.body(demo_requests.Finger).button)
    return done()


@demo.post("/stacks/<seq:seat>/put")
def put_block(seat: int) -> Response:
    body = requests.body(demo_requests.PutBlock)
    table().blocks.put_block(seat, body.way, body.x_mm)
    return done()


@demo.post("/stacks/<seq:seat>/<action>")
def stack(seat: int, action: str) -> Response:
    if action not in STACK_ACTIONS:
        raise NotFound(_("You can't do that with a stack."))
    STACK_ACTIONS[action](table().blocks, seat)
    return done()


@demo.post("/board/put")
def put() -> Response:
    body = requests.body(demo_requests.Put)
    table().pieces.put(body.row, body.column, body.colour)
    return done()


@demo.post("/board/take")
def take() -> Response:
    body = requests.body(demo_requests.Take)
    table().pieces.take(body.row, body.column)
    return done()


@demo.post("/board/tip")
def tip() -> Response:
    body = requests.body(demo_requests.Tip)
    table().pieces.tip(body.row, body.column, body.first)
    return done()


@demo.post("/boxes/deal")
def deal() -> Response:
    table().boxes.deal(requests.body(demo_requests.Deal).counts)
    return done()


@demo.post("/boxes/load")
def load() -> Response:
    body = requests.body(demo_requests.Load)
    table().boxes.load(body.size, body.truck, body.row, body.column, body.along)
    return done()


@demo.post("/boxes/unload")
def unload() -> Response:
    body = requests.body(demo_requests.Unload)
    table().boxes.unload(body.truck, body.row, body.column)
    return done()


@demo.post("/card")
def card() -> Response:
    table().lay_card(requests.body(demo_requests.Card).number)
    return done()


def done() -> Response:
    return Response(msgspec.json.encode(responses.Done()), mimetype="application/json")
