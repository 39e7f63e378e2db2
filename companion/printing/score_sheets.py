"""A score sheet to fill in by hand."""

from companion.game.sheets import ScoreSheet
from companion.printing.sheets import Drawing, line, text

WIDTH_MM = 190.0


def score_sheet(title: str, players: int, sheet: ScoreSheet) -> Drawing:
    """A game's score sheet with a column for each player and a line for each round."""
    names, top, row = 16.0, 34.0, 12.0
    column = (WIDTH_MM - names) / players
    right, bottom = names + players * column, top + (sheet.rounds + 1) * row
    parts = [text(0, 8, title, 8, bold=True)]
    parts += [text(0, 15 + 5 * number, words, 3.4) for number, words in enumerate(sheet.reminders)]
    parts += [text(0, 30, "Names", 3.4), text(0, top + row - 4, sheet.start, 3.4)]
    for index in range(sheet.rounds + 2):
        parts.append(line(0, top + index * row, right, top + index * row))
    parts += [text(0, top + (number + 1) * row - 4, f"{number}.", 4) for number in range(1, sheet.rounds + 1)]
    parts += [line(names + index * column, 24, names + index * column, bottom) for index in range(players + 1)]
    return Drawing(f"Score sheet of {title}", "".join(parts), WIDTH_MM, bottom)
