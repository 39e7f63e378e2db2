"""Names and roles of devices. A label that the house itself gives names no person."""

from enum import StrEnum

from companion.words import N_, _

CODE_OF_A_GAME, FIRST_PAGE = N_("code of a game"), N_("code on the first page")
WALL_CODES = (CODE_OF_A_GAME, FIRST_PAGE)  # Many devices may use the same one.
START_LINK = N_("one-time link")  # The link that is printed at the start has this label.
NEXT_HOST, BY_PIN = N_("handed over"), "PIN"  # Devices that became the host's have these labels.
FRAME = N_("screen in another site's page")  # The ticket in the address of a framed screen has this label.
PRINTED_CODE, SCRIPT = "printed code", "script"  # Tickets that were made on the command line have these labels.


class Role(StrEnum):
    """The rights of a device: a watcher looks on, a player plays (and corrects if the host allows), a host does all."""

    WATCHER = "watcher"
    PLAYER = "player"
    HOST = "host"

    @property
    def rank(self) -> int:
        """A number that grows with the rights: a role may do all that lower ones may."""
        return list(Role).index(self)


ROLE_NAMES = (N_("watcher"), N_("player"), N_("host"))  # Pages show them as `_(role)`.
OWN_LABELS = frozenset((*WALL_CODES, START_LINK, NEXT_HOST, BY_PIN, FRAME, PRINTED_CODE, SCRIPT, *Role))


def device_name(label: str) -> str:
    """The device's name in the reader's language. Devices that scanned a code have the code's name and a number."""
    code, comma, number = label.rpartition(", ")
    return f"{_(code)}{comma}{number}" if code in WALL_CODES else _(label)


def is_own_label(label: str) -> bool:
    """Whether the house itself gives this label, so that it cannot be a person's name."""
    code, _comma, number = label.rpartition(", ")
    return label in OWN_LABELS or (code in WALL_CODES and number.isdecimal())
