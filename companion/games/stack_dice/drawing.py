"""Shared parts of Stack's pages: dice and stacks as widgets, and the text beside a name."""

from collections.abc import Callable, Iterable

from companion.game.widgets import Choice, Stack, Stacks, Tap, Tone
from companion.games.stack_dice import stacks
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.stacks import FULL_STACK, DieId
from companion.games.stack_dice.state import State, colour, team
from companion.words import _, _n

Appearance = tuple[int, tuple[str, ...]]  # It has the number on top, and the colours from the bottom to the top.


def appearance(state: State, stack: stacks.Stack) -> Appearance:
    """The appearance of a stack."""
    return state.layout.faces[stack[-1]], tuple(colour(state, stacks.owner(die)) for die in stack)


def by_appearance(state: State, piles: Iterable[stacks.Stack]) -> dict[Appearance, list[stacks.Stack]]:
    """The piles grouped by appearance, in the order of their numbers; the rules do not tell equal ones apart."""
    groups: dict[Appearance, list[stacks.Stack]] = {}
    for pile in sorted(piles, key=lambda pile: (state.layout.faces[pile[-1]], -len(pile))):
        groups.setdefault(appearance(state, pile), []).append(pile)
    return groups


def standing(state: State, title: str) -> tuple[Stacks[Event], ...]:
    """Every stack layer by layer, so that a fallen one can be rebuilt (ST-50); equal ones once."""
    drawn: tuple[Stack[Event], ...] = tuple(
        Stack(face, layers, *_height_words(len(layers), len(group)))
        for (face, layers), group in by_appearance(state, state.layout.stacks).items()
    )
    return (Stacks(title, drawn),) if drawn else ()


def _height_words(height: int, number: int) -> tuple[str, str]:
    """(caption, mark) of equal stacks."""
    times = [f"×{number}"] if number > 1 else []
    return (", ".join([*times, _("captured")]), "full") if height == FULL_STACK else ("".join(times), "")


def loose(
    state: State, players: Iterable[str], title: str, tap: Callable[[DieId], Tap[Event] | None] = lambda _die: None
) -> tuple[Stacks[Event], ...]:
    """The unstacked dice of some players, equal ones once.

    tap         die → its tap, or None
    """
    dice = [(die,) for player in players for die in stacks.unstacked(state.layout, player)]
    drawn = tuple(
        Stack(face, layers, f"×{len(group)}", tap=tap(group[0][0]))
        for (face, layers), group in by_appearance(state, dice).items()
    )
    return (Stacks(title, drawn),) if drawn else ()


def layers(
    state: State, players: Iterable[str], title: str, tap: Callable[[DieId], Tap[Event] | None]
) -> tuple[Stacks[Event], ...]:
    """Every stacked die of some players by itself, with its layer: any of them can be picked up (ST-53)."""
    drawn: tuple[Stack[Event], ...] = tuple(
        Stack(
            state.layout.faces[die],
            (colour(state, stacks.owner(die)),),
            _("{layer} of {height}", layer=layer, height=len(stack)),
            tap=tap(die),
        )
        for stack in state.layout.stacks
        for layer, die in enumerate(stack, 1)
        if stacks.owner(die) in players
    )
    return (Stacks(title, drawn),) if drawn else ()


def seat_line(state: State, player: str) -> str:
    """The text beside a player's points: colour, team, dice left, and turns left or lost."""
    words = [_(colour(state, player))]
    if state.options.teams:
        words.append(_("team {number}", number=team(state, player) + 1))
    if state.turn is not None:
        words.append(_("{n} left", n=len(stacks.unstacked(state.layout, player))))
    if player in state.out:
        words.append(_("out"))
    elif state.last_turns is not None:
        words.append(_("last turn") if player in state.last_turns else _("no turn left"))
    if state.skips.get(player):
        words.append(_n("loses the next turn", "loses {n} turns", state.skips[player]))
    return " · ".join(words)


def faces(prompt: str, tap: Callable[[int], Tap[Event]]) -> Choice[Event]:
    """A question with the faces of a die as answers; `tap`: face → its tap."""
    return Choice(prompt, tuple(tap(face) for face in stacks.FACES), faces=True)


def dim(label: str, **draft: str) -> Tap[Event]:
    """A dim tap that changes the draft."""
    return Tap(label, draft=draft, tone=Tone.DIM)
