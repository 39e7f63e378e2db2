"""What the staff did in a tournament, as sentences: each of these can be taken back."""

from collections.abc import Mapping

from companion.hub.tournament import events
from companion.hub.tournament.attendance import Tournament
from companion.hub.tournament.entry import Entry
from companion.words import _, _n, listed
from web.hub.here import hub
from web.hub.places import named_ranks

MOST_NAMED = 3


def act_lines(tournament: Tournament, tables: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """(number of the entry, when, what was done), the newest first.

    tables      key → name, of the tables that count
    """
    desk = hub().record.desk
    acts = desk.acts(tournament.id)
    entries = desk.entries(tournament.id) if any(isinstance(act.event, events.TakenBack) for act in acts) else ()
    return [(entry.seq, entry.wall_us, sentence_of(tournament, entries, entry, tables)) for entry in acts]


def sentence_of(tournament: Tournament, entries: tuple[Entry, ...], entry: Entry, tables: Mapping[str, str]) -> str:
    """What was done, in one sentence."""
    name = tournament.name_of
    match entry.event:
        case events.Entered(entrants=entrants):
            if len(entrants) <= MOST_NAMED:
                return _("{names} came in.", names=listed([name(entrant) for entrant in entrants]))
            return _n("{n} entrant came in.", "{n} entrants came in.", len(entrants))
        case events.Withdrawn(entrant=entrant):
            return _("{name} withdrew.", name=name(entrant))
        case events.CameBack(entrant=entrant):
            return _("{name} came back.", name=name(entrant))
        case events.RoundPaired(round=number):
            return _("Round {number} was seated.", number=number)
        case events.Swapped(first=first, second=second):
            return _("{one} and {other} changed seats.", one=name(first), other=name(second))
        case events.Reseated():
            return _("The round was seated anew by hand.")
        case events.Opened(number=number):
            return _("Game {number} is played again.", number=number)
        case events.Ruled(number=number, ranks=ranks, round=round_):
            if not ranks:
                return _("The ruling in game {number} was taken back.", number=number)
            if round_:
                return _("Game {number} of round {round} was ruled.", number=number, round=round_)
            return _("Game {number} was ruled.", number=number)
        case events.Accepted(number=number, round=round_):
            return _(
                "The result that a table sent of game {number}, round {round}, was taken.",
                number=number,
                round=round_,
            )
        case events.ResultLeft(number=number, round=round_):
            if not number:
                return _("The result that a table sent of a game that isn't seated was left.")
            return _(
                "The result that a table sent of game {number}, round {round}, was left.", number=number, round=round_
            )
        case events.Called(number=number, table=events.PLAIN):
            return _("Game {number} is played at a table without a companion.", number=number)
        case events.Called(number=number, table=table):
            where = tables.get(table, _("a table that left"))
            return _("Game {number} was given to {table}.", number=number, table=where)
        case events.Timed(round=number, minutes=minutes):
            if not minutes:
                return _("The clock of round {number} was taken away.", number=number)
            return _n(
                "The clock of round {number} began, with {n} minute.",
                "The clock of round {number} began, with {n} minutes.",
                minutes,
                number=number,
            )
        case events.Suggested(by=player, ranks=ranks):
            return _("{name} said: {places}", name=name(player), places=named_ranks(tournament, ranks))
        case events.Ended():
            return _("The tournament was ended.")
        case events.TakenBack(seqs=seqs):
            return _("Taken back: {act}", act=sentence_of(tournament, entries, entries[seqs[0] - 1], tables))
    raise AssertionError("the staff do nothing else")
