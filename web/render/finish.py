"""What the end screen and the result page tell of a finished game: the standings, and the best moment."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from companion.game.charts import Curve, Curves, Figures
from companion.game.game import Event
from companion.game.players import Viewer
from companion.game.widgets import Standings
from companion.games.resting import Rested
from companion.games.rulings import Ruling
from companion.table.standing import resting
from companion.table.table import Table
from companion.words import _, _p, number, signed
from web.house import host


@dataclass(frozen=True)
class Moment:
    """The event that brought a player the most points at once: whose, how many, and its sentence."""

    name: str
    gain: int
    sentence: str


def absences(table: Table) -> list[str]:
    """A sentence for each player who was away: whoever rested or had a stand-in, and how the season takes it.

    While the game is played it has no end yet: then the sentences say who is away now, and nothing of the season.
    """
    away = {*table.stand_ins, *resting(table)}
    rested = {step.event.player for step in table.fold.steps if isinstance(step.event, Rested)}
    sentences = []
    for player in table.session.players:
        name = table.names.get(player) or _("somebody")
        if player in table.stand_ins:
            who = table.stand_ins[player] or _("Somebody")
            sentences.append(
                _("{who} plays for {name}.", who=who, name=name)
                if table.is_played
                else _("{who} played for {name} at the end.", who=who, name=name)
            )
        elif player in rested & away:
            sentences.append(
                _("{name} takes a break.", name=name)
                if table.is_played
                else _("{name} was on a break at the end.", name=name)
            )
        elif player in rested:
            sentences.append(_("{name} took a break and came back, so it counts as always.", name=name))
        if player in away and not table.is_played:
            sentences.append(_("That seat is ranked here, but it doesn't count in a season."))
    return sentences


def standings(table: Table) -> Standings | None:
    """The game's own standings, None until it is over."""
    widgets = table.game.pages.view(table.state, Viewer(None, table.names))
    return next((widget for widget in widgets if isinstance(widget, Standings)), None)


def times_spent(events: Iterable[Event]) -> list[int]:
    """For each event the microseconds since its clock was started, 0 where none runs."""
    began_us, spent = None, []
    for event in events:
        at_us = getattr(event, "at_us", None)
        if at_us is not None and not hasattr(event, "player"):
            began_us = at_us
        spent.append(0 if at_us is None or began_us is None else at_us - began_us)
    return spent


def final_photo(table: Table) -> dict[str, Any]:
    """The values for the photo of the table after the game's end."""
    pictures, session = host().pictures, table.session.id
    return {"final_photo": pictures.final(session), "camera_saw": pictures.has_seen(session)}


def rounds_table(table: Table) -> Figures | None:
    """What everybody gained in each round, a line a round; None before the first."""
    rounds, pages = table.fold.rounds(), table.game.pages
    if not rounds:
        return None
    names = (table.names.get(player, _("somebody")) for player in table.session.players)
    start, end = table.course()[0], rounds[-1].points
    begun = ((_p("before the first round", "Start"), *map(number, start)),) if any(start) else ()
    played = tuple(
        (pages.round_name(one.number), *(signed(gain) if gain else number(0) for gain in one.gains)) for one in rounds
    )
    return Figures(
        _("Points step by step"), (_(pages.round_word), *names), (*begun, *played, (_("Total"), *map(number, end)))
    )


def curves(table: Table) -> Curves:
    """Everybody's points at the start and after each round."""
    course = zip(table.course()[0], *(one.points for one in table.fold.rounds()), strict=True)
    names = (table.names.get(player, _("somebody")) for player in table.session.players)
    lines = zip(table.session.players, names, course, strict=True)
    return Curves(_("Points during the game"), _(table.game.pages.round_word), tuple(Curve(*line) for line in lines))


def best_moment(table: Table) -> Moment | None:
    """The best moment: the most points that an own event gave somebody, of equal ones the quickest, then the first.

    Where only what belongs to nobody or to others gave points, as the end of a round may, the most by that; None where
    nothing that was played gained a point.
    """
    lines, course = table.history.with_course()
    counted = [line for line in lines if line.event is not None]
    spent = times_spent(line.event for line in counted)
    gains = [
        (line.player == table.session.players[seat], after - before, -spent[step], -step, seat)
        for step, line in enumerate(counted)
        if not isinstance(line.event, Ruling)
        for seat, (before, after) in enumerate(zip(course[step], course[step + 1], strict=True))
        if after > before
    ]
    if not gains:
        return None
    _is_own, gain, _spent, step, seat = max(gains)
    player, line = table.session.players[seat], counted[-step]
    sentence = line.sentence if line.player in (player, None) else ""  # it would speak of somebody else
    return Moment(table.names.get(player, _("somebody")), gain, sentence)
