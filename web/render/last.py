"""What happened last in a game, as the bar at the bottom of its pages says it."""

from dataclasses import dataclass

from companion.errors import NotFound
from companion.journal.events import Amended, EndedEarly, Struck
from companion.table.history import HistoryLine
from companion.table.table import Table
from companion.words import _


@dataclass(frozen=True)
class Last:
    """The last thing that happened.

    entry   the number of the entry that it is
    line    the line of the history that it is about, if that counts
    redo    the number of the undo that can be taken back
    """

    text: str
    entry: int
    line: HistoryLine | None
    redo: int | None = None


def last_of(table: Table) -> Last | None:
    """The last thing that happened, or None before the first."""
    newest = table.newest
    if newest is None:
        return None
    undo, redo = table.history.newest_undo(), table.redo
    if undo is not None:  # also if the clock has gone on since, so that an undo by mistake can be taken back
        entry, line, again = undo
        if line is not None and isinstance(line.beside, EndedEarly) and not again:
            text = _("The game goes on.")
        elif line is not None and line.beside is not None and again:
            text = line.sentence
        elif line is None:
            text = _("A correction was redone.") if again else _("A correction was undone.")
        elif again:
            text = _("Redone: {sentence}", sentence=line.sentence)
        else:
            text = _("Undone: {sentence}", sentence=line.sentence)
        return Last(text, entry, line if again else None, redo=redo.seq if redo else None)
    match newest.body:
        case Struck(seq):
            return Last(_("Deleted: {sentence}", sentence=line_of(table, seq).sentence), newest.seq, None)
        case Amended(seq):
            line = line_of(table, seq)
            return Last(_("Corrected: {sentence}", sentence=line.sentence), newest.seq, line)
    line = line_of(table, newest.seq)
    return Last(line.sentence, newest.seq, line)


def line_of(table: Table, seq: int) -> HistoryLine:
    line = table.history.line(seq)
    if line is None:
        raise NotFound(_("Entry {seq} isn't an event of this game. Look at the history.", seq=seq))
    return line
