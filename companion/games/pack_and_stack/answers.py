"""The advice of Pack & Stack once everybody has loaded: the best loads of all players, and one's own level by level."""

import time

from companion.equipment.trucks import Truck
from companion.game.parts.pages import Advice
from companion.game.players import Viewer
from companion.game.widgets import Cell, Notice, Tone, Widget
from companion.games.pack_and_stack import loads
from companion.games.pack_and_stack.advice import BestLoad, best_load
from companion.games.pack_and_stack.cp_sat import cp_sat_load
from companion.games.pack_and_stack.drawing import area, boxes_words, colour_of
from companion.games.pack_and_stack.events import Event
from companion.games.pack_and_stack.loads import NONE, Counts
from companion.games.pack_and_stack.scoring import losses
from companion.games.pack_and_stack.state import State, Step, step, truck_taken
from companion.words import N_, _, number

ADVICE_SECONDS = 2.0


def _best_of(state: State, player: str, seconds: float) -> BestLoad:
    """The best load of a player's boxes and truck that is found in this time."""
    truck, dice = truck_taken(state, player), state.current.dice[player]
    began = time.monotonic()
    own = best_load(truck, dice, lambda: time.monotonic() - began > seconds / 2)
    if own.proven:
        return own
    other = cp_sat_load(truck, dice, seconds / 2)
    if other is None:  # Without OR-tools our own search gets the other half of the time too.
        return best_load(truck, dice, lambda: time.monotonic() - began > seconds)
    better = max(own, other, key=lambda load: load.loaded)
    return BestLoad(better.boxes, min(own.most, other.most))


def _verdict(truck: Truck, dice: Counts, load: BestLoad) -> Notice:
    """A notice about the loss of a load, and whether it is proven to be the least."""
    rest = loads.less(dice, loads.counts_of(load.boxes))
    loss = loads.loss(truck, dice, rest)
    words = (
        _("Loss {loss}, with everything in.", loss=loss)
        if rest == NONE
        else _("Loss {loss}, left over: {boxes}.", loss=loss, boxes=boxes_words(rest))
    )
    if load.proven:
        best = _("No load is better: every other way was ruled out.")
        return Notice(f"{words} {best}", Tone.GOOD)
    bound = loss - 3 * (load.most - load.loaded)  # PS-52: each loaded unit saves 3
    searched = _(
        "The best found in {seconds} seconds; no load has less than {bound}.",
        seconds=number(ADVICE_SECONDS),
        bound=bound,
    )
    return Notice(f"{words} {searched}", Tone.WARN)


def _layers(state: State, truck: Truck, load: BestLoad) -> tuple[Widget[Event], ...]:
    """A grid for each level, the floor first; each box has its size and a letter, an upright one on several levels."""
    letters = {box: "abcdefghijklmnopqrstuvwxyz"[number % 26] for number, box in enumerate(load.boxes)}
    labels: dict[tuple[int, int, int], Cell[Event]] = {
        cell: Cell(f"{box.size}{letters[box]}", colour_of(state, box.size)) for box in load.boxes for cell in box.cells
    }
    return tuple(
        area(
            _("On the floor") if level == 1 else _("Level {level}", level=level),
            truck,
            lambda square, level=level: labels.get((*square, level), Cell("·", "white")),  # type: ignore[misc]
        )
        for level in range(1, truck.height + 1)
    )


def _answer_best_loads(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """A notice for each player: the loss, beside the least that was possible; then the viewer's own best load.

    While somebody still packs there is none: it would solve the puzzle (PS-40).
    """
    if step(state) is Step.LOADING:
        return (Notice(_("You'll see the best loads when everybody has loaded."), Tone.DIM),)
    current, seconds = state.current, ADVICE_SECONDS / len(state.players)
    lines: list[Widget[Event]] = []
    own: tuple[Widget[Event], ...] = ()
    for player in state.players:
        if player in current.trucks and player in current.unloaded:
            load, dice = _best_of(state, player, seconds), current.dice[player]
            truck = truck_taken(state, player)
            best = loads.loss(truck, dice, loads.less(dice, loads.counts_of(load.boxes)))
            lost, name = losses(state.options, current, vouchers=False)[player], viewer.name(player)
            if not load.proven:
                text = _(
                    "{name} lost {lost}: {best} was found, maybe less is possible.", name=name, lost=lost, best=best
                )
            elif lost == best:
                text = _("{name} lost {lost}. That was the best possible.", name=name, lost=lost)
            else:
                text = _("{name} lost {lost}: {best} was possible.", name=name, lost=lost, best=best)
            lines.append(Notice(text))
            if player == viewer.player:
                own = (_verdict(truck, dice, load), *_layers(state, truck, load))
    return (*lines, *own) or (Notice(_("Nobody has loaded yet."), Tone.DIM),)


BEST_LOADS = Advice("best-loads", N_("Everybody's best loads"), _answer_best_loads)
ADVICE = (BEST_LOADS,)
