"""The result of a game as one picture to share: who won, everybody's points, and how they came about, with the photo
of the final table if there is one."""

import unicodedata
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter

from flask import render_template

from companion.house.symbols import Mark
from companion.names import SELECTORS, letters_of
from companion.table.table import Table
from companion.words import _
from web.house import host
from web.render import charts
from web.render.finish import curves
from web.render.static_files import FOLDER

ROWS = 8  # places that are shown; other players are only counted
# A text has this width. Its font size depends on whether it takes one line, two, and so on.
NAME_ROOM, NAME_PX = 640.0, (46.0, 30.0)
HEADLINE_ROOM, HEADLINE_PX = 880.0, (92.0, 62.0, 44.0)
# Letters have these widths as parts of the font size, in a wide and heavy font. What the pages' fonts lack the device
# draws in a font of its own.
LETTER, WIDE_LETTER, WIDEST_LETTER = 0.66, 1.12, 1.35
WIDE = frozenset("MW@%—…ＭＷ")

# The fonts of the pages, within the picture: one that is drawn into a canvas loads nothing.
FONTS = (
    ("Figtree", "300 900", "figtree-latin-wght-normal.woff2"),
    ("Bricolage Grotesque", "200 800", "bricolage-grotesque-latin-wght-normal.woff2"),
)

# A drawing has no style sheet, so the colours of foundation.css stand here, too. A test compares them.
PIECES = {
    "white": "#fffdf6", "red": "#c22d48", "yellow": "#f2c53d", "orange": "#ec8a3c", "green": "#2f7d4f",
    "blue": "#2f63ad", "purple": "#7b4a9e", "black": "#2b2825", "grey": "#8b857c", "brown": "#8a5a34",
    "turquoise": "#2fa39a", "pink": "#f2559d",
}  # fmt: skip
UNKNOWN = PIECES["grey"]


@dataclass(frozen=True)
class Row:
    """One player's line: the name in one line or two, and its font size."""

    name: tuple[str, ...]
    name_px: float
    points: int
    winner: bool
    mark: Mark
    colour: str


def result_picture(table: Table) -> str:
    """The picture as SVG with its fonts in it, so that it looks the same everywhere."""
    game, state, marks = table.game, table.state, host().marks(table)
    score, winners = game.rules.score(state), game.rules.winners(state)
    order = sorted(table.session.players, key=lambda player: (player not in winners, -score[player]))
    names = {player: table.names.get(player, _("somebody")) for player in order}
    rows = [
        Row(
            *fitted(names[player], NAME_ROOM, NAME_PX),
            score[player],
            player in winners,
            marks[player],
            PIECES.get(marks[player].colour, UNKNOWN),
        )
        for player in order
    ]
    by_round = curves(table)
    shown = replace(by_round, curves=tuple(curve for curve in by_round.curves if curve.player in order[:ROWS]))
    return render_template(
        "result_picture.svg",
        table=table,
        over=game.rules.is_over(state),
        winners=[names[player] for player in winners],
        marks=marks,
        rows=rows[:ROWS],
        more=len(rows[ROWS:]),
        headline=lambda says: fitted(says, HEADLINE_ROOM, HEADLINE_PX),
        fonts=fonts(),
        photo=final_photo_data(table),
        chart=charts.line_chart(shown) if table.fold.rounds() else None,
        colours={player: PIECES.get(mark.colour, UNKNOWN) for player, mark in marks.items()},
    )


def final_photo_data(table: Table) -> str:
    """The photo of the final table in base64, "" where there is none."""
    name = host().pictures.final(table.session.id)
    return b64encode(host().pictures.jpeg(name)).decode() if name else ""


@lru_cache
def fonts() -> tuple[tuple[str, str, str], ...]:
    """Of each font its family, its weights and its file in base64."""
    return tuple(
        (family, weights, b64encode((FOLDER / "fonts" / name).read_bytes()).decode()) for family, weights, name in FONTS
    )


def fitted(text: str, room: float, largest_px: Sequence[float]) -> tuple[tuple[str, ...], float]:
    """The text in the number of lines that lets it be largest, and its font size."""
    ways = [broken(letters_of(text), count) for count in range(1, len(largest_px) + 1)]
    sized = [(lines, min(most, room / max(map(ems, lines)))) for lines, most in zip(ways, largest_px, strict=True)]
    return max(sized, key=itemgetter(1))


def broken(letters: list[str], count: int) -> tuple[str, ...]:
    """The letters in so many lines of about one length, at spaces where words are not too long for that."""
    if count == 1:
        return ("".join(letters),)
    even = round(len(letters) / count)
    spaces = [place for place, letter in enumerate(letters, start=1) if letter == " "]
    place = min(spaces, key=lambda space: abs(space - even), default=even)
    if abs(place - even) > even / 2:
        place = even
    return ("".join(letters[:place]), *broken(letters[place:], count - 1))


def ems(text: str) -> float:
    """About how wide a line of text is, in parts of its font size."""
    return sum(map(_ems_of, letters_of(text)))


def _ems_of(letter: str) -> float:
    """The width of a letter with all that is joined to it, each part beside the others: not every device has the letter
    that they make together. Emoji and East Asian letters are as wide as high.
    """
    return sum(map(_ems_of_part, letter))


def _ems_of_part(part: str) -> float:
    category = unicodedata.category(part)
    if category == "Cf" or part in SELECTORS:
        return 0.0  # A joiner or a mark of direction has no width.
    if category in ("So", "Cn"):  # Cn is newer than this Python: an emoji or a Chinese character.
        return WIDEST_LETTER
    return WIDE_LETTER if part in WIDE or unicodedata.east_asian_width(part) in "WF" else LETTER
