"""What happened last in a game, as the bar at the bottom of its pages says it."""

from dataclasses import dataclass

from companion.errors import NotFound
from companion.game.events import is_sealed
from companion.journal.events import Amended, Body, EndedEarly, StoodIn, Struck, Undone, meant
from companion.table.history import HistoryLine
from companion.table.table import Table
from companion.words import N_, _

ENDED = N_("The game was ended early.")


@dataclass(frozen=True)
class Last:
    """The last thing that happened. `redo` is the number of the undo that can be taken back."""

    text: str
    line: HistoryLine | None
    redo: int | None = None


def last_of(table: Table) -> Last | None:
    """The last thing that happened, or None before the first."""
    newest = table.newest
    if newest is None:
        return None
    undo, redo = table.history.newest_undo(), table.redo
    if undo is not None:  # also if the clock has gone on since, so that an undo by mistake can be taken back
        line, again = undo
        about = about_what(table)
        if isinstance(about, StoodIn):
            text = standing_in(table, about) if again else _("Undone: {sentence}", sentence=standing_in(table, about))
        elif isinstance(about, EndedEarly):
            text = str(_(ENDED) if again else _("The game goes on."))
        elif line is None:
            text = _("A correction was redone.") if again else _("A correction was undone.")
        elif again:
            text = _("Redone: {sentence}", sentence=line.sentence)
        else:
            text = _("Undone: {sentence}", sentence=line.sentence)
        return Last(text, line if again else None, redo=redo.seq if redo else None)
    match newest.body:
        case EndedEarly():
            return Last(_(ENDED), None)
        case StoodIn():
            return Last(standing_in(table, newest.body), None)
        case Struck(seq):
            return Last(_("Deleted: {sentence}", sentence=line_of(table, seq).sentence), None)
        case Amended(seq):
            return Last(_("Corrected: {sentence}", sentence=line_of(table, seq).sentence), line_of(table, seq))
    return Last(line_of(table, newest.seq).sentence, line_of(table, newest.seq))


def about_what(table: Table) -> Body | None:
    """What the newest undo is about in the end, or None."""
    entries = table.entries
    newest = next((entry for entry in reversed(entries) if isinstance(entry.body, Undone)), None)
    return None if newest is None else meant(entries, newest)[0].body


def standing_in(table: Table, told: StoodIn) -> str:
    """The sentence of an entry about a stand-in."""
    name = table.names.get(told.player) or _("somebody")
    if not told.who:
        return _("{name} plays again.", name=name)
    who = _("Somebody") if is_sealed(told.who) else told.who
    return _("{who} plays for {name}.", who=who, name=name)


def line_of(table: Table, seq: int) -> HistoryLine:
    line = table.history.line(seq)
    if line is None:
        raise NotFound(_("Entry {seq} isn't an event of this game. Look at the history.", seq=seq))
    return line
