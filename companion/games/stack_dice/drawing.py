"""Shared parts of Stack's pages: dice and stacks as widgets, and what stands beside a name."""

from collections.abc import Callable, Iterable

from companion.game.widgets import Choice, Stack, Stacks, Tap, Tone
from companion.games.stack_dice import stacks
from companion.games.stack_dice.stacks import FULL_STACK, DieId
from companion.games.stack_dice.state import State, colour, team
from companion.words import _, _n

Appearance = tuple[int, tuple[str, ...]]  # of a stack: the number on top, colours from the bottom to the top


def looks(state: State, stack: stacks.Stack) -> Appearance:
    """The number on top of a stack, and its colours from the bottom to the top."""
    return state.layout.faces[stack[-1]], tuple(colour(state, stacks.owner(die)) for die in stack)


def alike(state: State, piles: Iterable[stacks.Stack]) -> dict[Appearance, list[stacks.Stack]]:
    """Stacks and dice that cannot be told apart together, by number: for the rules any of them is as good."""
    groups: dict[Appearance, list[stacks.Stack]] = {}
    for pile in sorted(piles, key=lambda pile: (state.layout.faces[pile[-1]], -len(pile))):
        groups.setdefault(looks(state, pile), []).append(pile)
    return groups


def standing(state: State, title: str) -> tuple[Stacks, ...]:
    """Every stack as it stands, layer by layer: what a fallen one is rebuilt from (ST-50); equal ones once."""
    drawn = tuple(
        Stack(face, layers, *_height_words(len(layers), len(group)))
        for (face, layers), group in alike(state, state.layout.stacks).items()
    )
    return (Stacks(title, drawn),) if drawn else ()


def _height_words(height: int, number: int) -> tuple[str, str]:
    """The caption under a stack, and its mark."""
    times = [f"×{number}"] if number > 1 else []
    return (", ".join([*times, _("captured")]), "full") if height == FULL_STACK else ("".join(times), "")


def loose(
    state: State, players: Iterable[str], title: str, tap: Callable[[DieId], Tap | None] = lambda _die: None
) -> tuple[Stacks, ...]:
    """The unstacked dice of some players, equal ones once; `tap` is what a tap on one of them does."""
    dice = [(die,) for player in players for die in stacks.unstacked(state.layout, player)]
    drawn = tuple(
        Stack(face, layers, f"×{len(group)}", tap=tap(group[0][0]))
        for (face, layers), group in alike(state, dice).items()
    )
    return (Stacks(title, drawn),) if drawn else ()


def seat_line(state: State, player: str) -> str:
    """What stands beside a player's points: colour, team, dice left, and how the round stands for them."""
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


def faces(prompt: str, tap: Callable[[int], Tap]) -> Choice:
    """A question answered by a face of a die."""
    return Choice(prompt, tuple(tap(face) for face in stacks.FACES), faces=True)


def dim(label: str, **draft: str) -> Tap:
    """A tap that leads elsewhere on the page."""
    return Tap(label, draft=draft, tone=Tone.DIM)
