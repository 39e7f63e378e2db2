"""Names and rights of devices that enter something. A label that the house gives names nobody."""

from enum import StrEnum

from companion.words import N_, _

CODE_OF_A_GAME, FIRST_PAGE = N_("code of a game"), N_("code on the first page")
WALL_CODES = (CODE_OF_A_GAME, FIRST_PAGE)  # many devices scan them
START_LINK = N_("one-time link")  # what the link is called that is printed at the start
NEXT_HOST, BY_PIN = N_("handed over"), "PIN"  # what devices are called that became the host's
PRINTED_CODE, SCRIPT = "printed code", "script"  # and tickets that were made on the command line


class Role(StrEnum):
    """The rights of a device: look on; play, and correct unless the host keeps that; everything."""

    WATCHER = "watcher"
    PLAYER = "player"
    HOST = "host"

    @property
    def rank(self) -> int:
        """Higher may do all that lower may."""
        return list(Role).index(self)


ROLE_NAMES = (N_("watcher"), N_("player"), N_("host"))  # shown as `_(role)`
OWN_LABELS = frozenset((*WALL_CODES, START_LINK, NEXT_HOST, BY_PIN, PRINTED_CODE, SCRIPT, *Role))


def device_name(label: str) -> str:
    """The house's name for a device, in the reader's language: those of a code bear the code's name and a number."""
    code, comma, number = label.rpartition(", ")
    return f"{_(code)}{comma}{number}" if code in WALL_CODES else _(label)


def is_own_label(label: str) -> bool:
    """Whether the house itself calls a device that: no person gave it, so it names none."""
    code, _comma, number = label.rpartition(", ")
    return label in OWN_LABELS or (code in WALL_CODES and number.isdecimal())
