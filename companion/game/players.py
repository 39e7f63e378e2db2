"""Players, and the viewer of a page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from companion.words import _

PlayerId = str
Ranking = tuple[tuple[PlayerId, ...], ...]  # The players of a group are placed alike; the best group comes first.


class Writers(StrEnum):
    """Who may enter an event of a seat: devices of that seat or of all seats, every device that plays, or the host."""

    OWN = "own"
    EVERYBODY = "everybody"
    HOST = "host"


@dataclass(frozen=True)
class Viewer:
    """The viewer of a page.

    player      the player whose sheet is shown, None for the whole table
    names       player → display name
    draft       choices made on this page and not yet posted: field → value, all strings
    looks_on    whether nothing is tapped there: a television, or the device of a watcher
    """

    player: PlayerId | None
    names: Mapping[PlayerId, str]
    draft: Mapping[str, str] = field(default_factory=dict)
    looks_on: bool = False

    def name(self, player: PlayerId) -> str:
        """The player's name, or "somebody" for one who has been deleted."""
        return self.names.get(player) or _("somebody")
