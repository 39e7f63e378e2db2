"""Questions of the camera, as a page asks them."""

from companion.errors import CompanionError
from companion.game.players import Viewer
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


def consequence(sentence: str) -> str:
    """A sentence of the history as the words of a button; one that is too long stands beside its button."""
    return sentence.rstrip(".") if 0 < len(sentence) <= LONGEST_LABEL else _("Enter this")
