"""Worked cases of Stack."""

from dataclasses import replace
from typing import Any

from companion.errors import IllegalEvent
from companion.games.stack_dice import GAME, rules, scoring, stacks
from companion.games.stack_dice.events import RoundCounted, Stacked
from companion.games.stack_dice.options import check_options
from companion.games.stack_dice.stacks import Layout, Stack
from companion.games.stack_dice.state import Stage, State, stage, targets
from tests.rulebook.cases import AnyOrder, Case, Kinds, listed, only_keys, options_of

COLOURS = "RBGV"  # clockwise in this order unless a case says otherwise
MOST_DICE = 1000  # Nobody owns so many.


def seats(*seen: str) -> tuple[str, ...]:
    """The four colours and whatever else is seen, clockwise."""
    return tuple(dict.fromkeys((*COLOURS, *"".join(seen))))


def owners(table: list[str]) -> list[str]:
    """The colours of each stack, from the bottom upwards."""
    return [text.partition(":")[2] for text in table]


def position(case: Case, players: tuple[str, ...], table: list[str], **known: Any) -> State:
    """A round in which `table` stands: "6:RB" is red under blue, both showing 6, "6:R" a single die."""
    options = options_of(case, "stack_dice")
    check_options(options, players=2 * (options.teams or 1))  # how many play is the case's affair
    faces: dict[str, int] = {}
    piles = []
    for text in table:
        number, _, colours = text.partition(":")
        if not colours or not set(colours) <= set(players):
            raise ValueError(f"{text!r} is no stack")
        pile = tuple(f"{owner}-{len(faces) + height}" for height, owner in enumerate(colours))
        faces |= dict.fromkeys(pile, int(number))
        piles.append(pile)
    standing = tuple(pile for pile in piles if len(pile) > 1)
    return State(options, players, (), starter=players[0], layout=Layout(faces, standing), **known)


def written(state: State, pile: Stack) -> str:
    """The stack as a case writes it."""
    return f"{state.layout.faces[pile[-1]]}:{''.join(map(stacks.owner, pile))}"


def stack_targets(case: Case) -> dict[str, Any]:
    table = listed(case["table"])
    players = seats(case["player"], *owners(table))
    state = position(case, players, table)
    found = [written(state, pile) for pile in targets(state, case["player"], case["number"])]
    # ST-36: after a roll any legal place forces, and none ends the turn
    return {"targets": AnyOrder(found), "forced": bool(found), "turn_over": not found}


def stack_place(case: Case) -> dict[str, Any]:
    player, onto = case["player"], case["onto"]
    players = seats(player, onto.partition(":")[2])
    # everybody has another die, so that the play ends no round
    spare = [f"1:{each}" for each in (*players, *players)]
    state = position(case, players, [f"{case['number']}:{player}", onto, *spare], turn=player)
    die, *below = state.layout.faces
    under = next(pile for pile in stacks.tops(state.layout) if below[0] in pile)
    try:
        after = rules.apply(state, Stacked(player, die, under[-1]))
    except IllegalEvent:
        return {"legal": False, "result": onto, "captured_by": None}
    pile = stacks.stack_under(after.layout, die)
    assert pile is not None
    captured = len(pile) == stacks.FULL_STACK
    return {"legal": True, "result": written(after, pile), "captured_by": stacks.owner(pile[-1]) if captured else None}


def stack_score(case: Case) -> dict[str, Any]:
    """Points by colour, also for one that is asked about and has nothing on the table."""
    table = listed(case["table"])
    asked = (key for key in map(str, case["expect"]) if len(key) == 1)
    players = seats(*owners(table), *asked)
    state = position(case, players, table)
    return {player: scoring.stack_points(state, player) for player in players}


def stack_end(case: Case) -> dict[str, Any]:
    players, event = tuple(case["players"]), case["event"]
    only_keys(event, {"by", "own_unstacked_left", "covered_last_of"})
    player, left, victim = event["by"], event.get("own_unstacked_left", 1) or 0, event.get("covered_last_of")
    if victim == player or not {player, victim or player} <= set(players):
        raise ValueError("the event names no players of the case")
    if not 0 <= left <= MOST_DICE:
        raise ValueError(f"nobody has {left} dice left")
    # the play that the event tells of: a die on a victim's last one, or on one that nobody misses
    others = [f"6:{each}" for each in players if each not in (player, victim) for _ in range(2)]
    dice = [f"6:{player}"] * (left + 1)
    state = position(case, players, [*dice, f"6:{victim}" if victim else f"6:{other(players, player)}", *others])
    names = tuple(state.layout.faces)
    after = rules.apply(replace(state, turn=player), Stacked(player, names[0], names[left + 1]))
    return {
        "out": AnyOrder(after.out),
        "last_turns": list(after.last_turns or ()),
        "round_over": stage(after) is Stage.COUNT,
    }


def other(players: tuple[str, ...], player: str) -> str:
    """The neighbour of a player: an opponent, in teams too (ST-71)."""
    return players[(players.index(player) + 1) % len(players)]


def stack_game(case: Case) -> dict[str, Any]:
    totals = case["totals"]
    state = position(case, tuple(totals), [], last_turns=(), past=(totals,))
    # the round just played brought nothing more: one loose die each, and nobody's turn
    after = rules.apply(replace(state, layout=Layout({f"{player}-1": 1 for player in totals})), RoundCounted())
    return {"game_over": GAME.rules.is_over(after), "winner": AnyOrder(GAME.rules.winners(after))}


KINDS: Kinds = {
    "stack_targets": ({"player", "number", "table"}, stack_targets),
    "stack_place": ({"player", "number", "onto"}, stack_place),
    "stack_score": ({"table"}, stack_score),
    "stack_end": ({"players", "event"}, stack_end),
    "stack_game": ({"totals"}, stack_game),
}
