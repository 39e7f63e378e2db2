"""The result of a game as one picture to share: who won, everybody's points, and how they came about. No photograph."""

import unicodedata
from dataclasses import dataclass

from flask import render_template

from companion.game.charts import Curve, Curves
from companion.house.symbols import Mark
from companion.names import letters_of
from companion.table.table import Table
from companion.words import _
from web.house import host
from web.render import charts

ROWS = 8  # places that are shown; other players are only counted
NAME_ROOM, NAME_PX = 640.0, 46.0  # width for a name, and its font size if it fits
# Widths of letters as parts of the font size, in a wide font. Which font it is, the device says that draws the picture:
# a picture loads none, so letters that the first family lacks come from the device's own.
LETTER, WIDE_LETTER, WIDEST_LETTER = 0.66, 1.0, 1.35
WIDE = frozenset("MW@%—…ＭＷ")

# Colours of pieces as in foundation.css, for a drawing without a style sheet; a test compares them.
PIECES = {
    "white": "#fffdf6", "red": "#c8452d", "yellow": "#f2c53d", "orange": "#ec8a3c", "green": "#2f7d4f",
    "blue": "#2f63ad", "purple": "#7b4a9e", "black": "#2b2825", "grey": "#8b857c", "brown": "#8a5a34",
    "turquoise": "#2fa39a", "pink": "#f2559d",
}  # fmt: skip
UNKNOWN = PIECES["grey"]


@dataclass(frozen=True)
class Row:
    """One player's line."""

    name: str
    name_px: float
    points: int
    winner: bool
    mark: Mark
    colour: str


def result_picture(table: Table) -> str:
    """The picture as SVG, without style sheet and script, so that it looks the same everywhere."""
    game, state, marks = table.game, table.state, host().marks(table)
    score, winners = game.score(state), game.winners(state)
    order = sorted(table.session.players, key=lambda player: (player not in winners, -score[player]))
    names = {player: table.names.get(player, _("somebody")) for player in order}
    rows = [
        Row(
            names[player],
            min(NAME_PX, NAME_ROOM / ems(names[player])),
            score[player],
            player in winners,
            marks[player],
            PIECES.get(marks[player].colour, UNKNOWN),
        )
        for player in order
    ]
    curves = Curves(
        "", "", tuple(Curve(one, "", points) for one, points in course(table).items() if one in order[:ROWS])
    )
    return render_template(
        "result_picture.svg",
        table=table,
        over=game.is_over(state),
        winners=[names[player] for player in winners],
        marks=marks,
        rows=rows[:ROWS],
        more=len(rows[ROWS:]),
        ems=ems,
        chart=charts.line_chart(curves) if table.seq else None,
        colours={player: PIECES.get(mark.colour, UNKNOWN) for player, mark in marks.items()},
    )


def ems(text: str) -> float:
    """About how wide a line of text is, in parts of its font size."""
    return sum(map(_ems_of, letters_of(text)))


def _ems_of(letter: str) -> float:
    """The width of a letter with all that is joined to it: emoji and East Asian letters are as wide as high."""
    if unicodedata.category(letter[0]) == "So":
        return WIDEST_LETTER
    is_wide = letter[0] in WIDE or unicodedata.east_asian_width(letter[0]) in "WF"
    return WIDE_LETTER if is_wide else LETTER


def course(table: Table) -> dict[str, tuple[float, ...]]:
    """Player → points before the first event and after each."""
    return dict(zip(table.session.players, zip(*table.course(), strict=True), strict=True))
