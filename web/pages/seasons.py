"""Seasons: the table of the games in a span of days, its course as a chart, and the table as CSV."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.errors import BadInput
from companion.game.charts import Curve, Curves
from companion.house.people import Profile
from companion.house.seasons import Played, Standing, counts, season_points, standings, undecided
from companion.shelf import GAMES
from companion.words import _
from web.house import host
from web.render.csv import csv_file

seasons = Blueprint("seasons", __name__)

MOST_CURVES = 8  # more lines nobody can tell apart


@dataclass(frozen=True)
class Season:
    """The games that make up a season: one game or all (""), from a day to a day, inclusive; None for no limit."""

    game: str
    first: date | None
    last: date | None

    def takes(self, played: Played) -> bool:
        """Whether a game belongs to the season."""
        day = datetime.fromtimestamp(played.created_wall_us / 1e6).astimezone().date()
        return (
            self.game in ("", played.game)
            and (self.first is None or day >= self.first)
            and (self.last is None or day <= self.last)
        )

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The season as arguments of the query."""
        first, last = (day.isoformat() if day else "" for day in (self.first, self.last))
        return {"game": self.game, "from": first, "to": last}


def season_wanted() -> Season:
    """The season in the query; raises BadInput."""
    game = request.args.get("game", "")
    if game and game not in GAMES:
        raise BadInput(_("There's no such game. Choose one from the list."))
    season = Season(game, day_typed("from"), day_typed("to"))
    if season.first and season.last and season.first > season.last:
        raise BadInput(_("This season ends before it begins. Change one of its days."))
    return season


def day_typed(name: str) -> date | None:
    text = request.args.get(name, "")
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise BadInput(_("A day is written as year-month-day, such as 2026-11-21. Type it again.")) from error


@seasons.get("/seasons")
def old_address() -> AnyResponse:
    """Redirects from the page's earlier address, for bookmarks."""
    return redirect(url_for("seasons.season_page", **season_wanted().arguments), 308)


@seasons.get("/season")
def season_page() -> str:
    """The table of a season."""
    season, everything = season_wanted(), host().outcomes.all()
    games = [played for played in everything if season.takes(played)]
    counting = [played for played in games if counts(played)]
    seated, people = people_seated()
    table = standings(games, seated)
    return render_template(
        "season.html",
        season=season,
        periods=periods(season.game, date.today()),
        games=[GAMES[name] for name in dict.fromkeys(played.game for played in everything) if name in GAMES],
        lines=[(people[line.person], line, place) for line, place in zip(table, shared_places(table), strict=True)],
        counting=len(counting),
        unfinished=sum(not played.outcome.over and not played.unreadable for played in games),
        unreadable=sum(bool(played.unreadable) for played in games),
        undecided=sum(map(undecided, games)),
        alone=sum(played.outcome.over and len(played.players) == 1 for played in games),
        chart=course_of(counting, seated, [people[line.person] for line in table]),
        marks={profile.id: profile.mark for profile in people.values()},
    )


def people_seated() -> tuple[Mapping[str, str], Mapping[str, Profile]]:
    """Player → person, and person → profile, both of the same moment."""
    seated = host().people.seated()
    return {player: person.id for player, person in seated.items()}, {person.id: person for person in seated.values()}


def periods(game: str, today: date) -> list[tuple[str, Season]]:
    """(label, season) of the usual spans of days."""
    month = today.replace(day=1)
    year = today.replace(month=1, day=1)
    return [
        (_("All time"), Season(game, None, None)),
        (_("This year"), Season(game, year, year.replace(month=12, day=31))),
        (_("This month"), Season(game, month, (month + timedelta(days=31)).replace(day=1) - timedelta(days=1))),
        (_("Today"), Season(game, today, today)),
    ]


def shared_places(table: Iterable[Standing]) -> list[int]:
    """The place of each line; lines with equal points and equal mean place share the better one."""
    keys = [(-line.points, line.place) for line in table]
    return [1 + sum(other < mine for other in keys) for mine in keys]


def course_of(counting: list[Played], seated: Mapping[str, str], ranked: list[Profile]) -> Curves | None:
    """The season's points game by game, or None if there are fewer than two games."""
    if len(counting) < 2 or not ranked:
        return None
    sums = {profile.id: [0.0] for profile in ranked}
    for played in reversed(counting):
        worth = {seated[player]: points for player, points in season_points(played.outcome).items() if player in seated}
        for person, course in sums.items():
            course.append(course[-1] + worth.get(person, 0))
    return Curves(
        _("Points in the season"),
        _("Game"),
        tuple(Curve(person.id, person.name, tuple(sums[person.id])) for person in ranked[:MOST_CURVES]),
    )


@seasons.get("/season.csv")
def season_csv() -> Response:
    """The table as CSV."""
    season = season_wanted()
    games = [played for played in host().outcomes.all() if season.takes(played)]
    seated, people = people_seated()
    table = standings(games, seated)
    head = [_("Place"), _("Name"), _("Points"), _("Games"), _("Wins"), _("Average place")]
    rows: list[list[str | float]] = [
        [place, people[line.person].name, line.points, line.games, line.wins, round(float(line.place), 3)]
        for line, place in zip(table, shared_places(table), strict=True)
    ]
    if season.game:  # points of different games cannot be compared
        head.append(_("Best"))
        for row, line in zip(rows, table, strict=True):
            row.append(line.bests[season.game].points)
    return csv_file("season", (head, *rows))
