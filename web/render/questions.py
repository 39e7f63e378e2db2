"""Questions of the camera, as a page asks them."""

from collections.abc import Iterable

from flask import g

from companion.errors import CompanionError
from companion.game.game import Event
from companion.game.players import Viewer
from companion.sensing.meaning import answers_alike, leaves_no_answer
from companion.sensing.proposals import Proposal
from companion.table.table import Table
from companion.words import _

LONGEST_LABEL = 48  # Longer words on a button take more than two lines of a phone.


def question(table: Table, proposal: Proposal) -> tuple[Proposal, str, str]:
    """(a question of the camera, what it would become, the words of the button that enters that): "" for no event."""
    try:
        sentence = table.game.pages.describe(table.state, proposal.event, Viewer(None, table.names))
    except CompanionError:
        sentence = ""
    return proposal, sentence, proposal.agree or consequence(sentence)


def hold_back(table: Table, asked: Iterable[Proposal], *, races: bool) -> None:
    """Has this page show no other button in words that decides what is asked: no two answers may contradict.

    races   whether people race: a press that leaves a question no answer must not wait for it
    """
    questions = tuple(asked)
    g.is_held_back = lambda event: any(
        answers_alike(one, event) or (not races and leaves_no_answer(table, one, event)) for one in questions
    )


def is_held_back(event: Event) -> bool:
    """Whether this page does not show a button that would enter the event."""
    return "is_held_back" in g and bool(g.is_held_back(event))


def consequence(sentence: str) -> str:
    """A sentence of the history as the words of a button; one that is too long stands beside its button."""
    return sentence.rstrip(".") if 0 < len(sentence) <= LONGEST_LABEL else _("Enter this")
