"""Sentences for entries that are no events of a game: somebody stands in, the game was ended early."""

from collections.abc import Mapping

from companion.game.events import is_sealed
from companion.game.players import PlayerId
from companion.journal.events import EndedEarly, StoodIn
from companion.words import _

Beside = EndedEarly | StoodIn


def sentence_of(body: Beside, names: Mapping[PlayerId, str]) -> str:
    """The sentence of an entry beside the play; of a name that was deleted it says "somebody"."""
    if isinstance(body, EndedEarly):
        return _("The game was ended early.")
    name = names.get(body.player) or _("somebody")
    if not body.who:
        return _("{name} plays again.", name=name)
    who = _("Somebody") if is_sealed(body.who) else body.who
    return _("{who} plays for {name}.", who=who, name=name)
