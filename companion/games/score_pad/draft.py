"""What is chosen on a page of the pad and not yet posted.

The fields of a draft are `who` (whose points), `row` (its number), `keys` (taps of the keypad: "1,2,h,-", a half and a
minus among them) and `dice` (the faces tapped so far: "6,6,1").
"""

from collections.abc import Mapping
from dataclasses import replace

from companion.game.players import PlayerId, Viewer, Writers
from companion.games.score_pad import rules
from companion.games.score_pad.options import MOST_POINTS, Kind
from companion.games.score_pad.rules import Event, Rolled, State, Took, Wrote

DIGITS = tuple("1234567890")
MINUS, HALF = "-", "h"
MOST_DIGITS = len(str(MOST_POINTS))
EMPTY: Mapping[str, str] = {"row": "", "keys": "", "dice": ""}


def may_be_written(state: State, viewer: Viewer) -> tuple[PlayerId, ...]:
    """Whose points this page writes now, in the order of the seats, its own first (PAD-50)."""
    waiting = rules.awaiting(state)
    players = [player for player in state.players if player in waiting]
    if viewer.looks_on:
        return ()
    if viewer.player is None or state.options.writers is Writers.EVERYBODY:
        return tuple(sorted(players, key=lambda player: player != viewer.player))
    return (viewer.player,) if viewer.player in players else ()


def whose(state: State, viewer: Viewer) -> PlayerId | None:
    """Whose points are written next on this page: the chosen player's, its own, or those of whoever's turn it is."""
    players = may_be_written(state, viewer)
    wanted = (viewer.draft.get("who"), viewer.player, rules.next_to_roll(state), *players)
    return next((player for player in wanted if player in players), None)


def counted(state: State, viewer: Viewer) -> Viewer:
    """The viewer with the draft as far as it counts: nothing of it does once its player or row is written otherwise."""
    who, row = viewer.draft.get("who", ""), viewer.draft.get("row", "")
    is_free = who in may_be_written(state, viewer) and row in ("", str(row_of(state, viewer, who)))
    return viewer if is_free else replace(viewer, draft={})


def row_of(state: State, viewer: Viewer, player: PlayerId) -> int | None:
    """The row or round that is written: the chosen one while it is free, else the round that is played."""
    text = viewer.draft.get("row", "")
    row = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if state.options.kind is Kind.ROWS:
        return row if row in rules.free_rows(state, player) else None
    is_free = 1 <= row <= state.options.last_round and row not in state.cells[player]
    return row if is_free else rules.current_round(state)


def digits_of(viewer: Viewer) -> str:
    """The digits on the keypad."""
    return "".join(key for key in viewer.draft.get("keys", "").split(",") if key in DIGITS)[:MOST_DIGITS]


def typed(state: State, viewer: Viewer) -> int | None:
    """The points on the keypad in units; None before there are any. A second tap on a half or a minus takes it back."""
    keys, digits, options = viewer.draft.get("keys", "").split(","), digits_of(viewer), state.options
    half = options.halves and keys.count(HALF) % 2 == 1
    if not digits and not half:
        return None
    points = min(int(digits or "0") * options.unit + half, MOST_POINTS * options.unit)
    return -points if options.negative and keys.count(MINUS) % 2 else points


def dice_of(state: State, viewer: Viewer) -> tuple[int, ...]:
    """The faces tapped so far."""
    words = viewer.draft.get("dice", "").split(",")
    return tuple(int(word) for word in words if word in ("1", "2", "3", "4", "5", "6"))[: state.options.dice]


def drafted(state: State, event: Event) -> Mapping[str, str]:
    """The draft that would post this event; a correction begins with it."""
    match event:
        case Wrote(player, row, points) if rules.dice_rule(state, row) is None:
            whole, half = divmod(abs(points), state.options.unit)
            keys = [*str(whole), *([HALF] if half else []), *([MINUS] if points < 0 else [])]
            return {"who": player, "row": str(row), "keys": ",".join(keys)}
        case Wrote(player, row) | Took(player, row):
            return {"who": player, "row": str(row)}
        case Rolled(player, dice):
            return {"who": player, "dice": ",".join(map(str, dice))}
    return {}
