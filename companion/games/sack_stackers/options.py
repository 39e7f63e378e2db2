"""The sheet, the options and the names of the wrappings of Sack Stackers (SS-01 … SS-06)."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, option
from companion.games.sack_stackers import groups
from companion.games.seats import check_seats
from companion.words import N_, _

COLUMNS = SECTIONS = ROWS = 6  # SS-04, SS-05: six sections; six columns, six squares high
CIRCLES = 10  # SS-06, SS-22
CIRCLES_PER_COAL = 2  # SS-23
COAL = "C"
WILD = "?"  # SS-15
BOXES = (*groups.TYPES, WILD)  # SS-04: every section has one box of every type and one wild
FEWEST_PLAYERS, MOST_PLAYERS = 1, 100  # SS-01
WHY_SEATS_STAY = N_(  # SS-10, SS-50
    "Everybody fills a sack from the same rolls, and a newcomer has missed some. Nobody waits for a "
    "turn, so you may swap chairs as you like."
)
WRAPPING_LENGTH = 40


class Range(StrEnum):
    """The consequence of a die altered out of 1–6 (SS-24)."""

    OUT_OF_RANGE = "out_of_range"
    STRICT = "strict"
    WRAP = "wrap"


class Overlap(StrEnum):
    """The number of groups that one gift may belong to: one, or several (SS-42)."""

    DISJOINT = "disjoint"
    SHARED = "shared"


# SS-03: only the stripes are published; the other four are named by their shapes until the table says how they look.
WRAPPINGS = (
    (N_("horizontal stripes"), "I"),
    (N_("paper of the square"), "O"),
    (N_("paper of the T"), "T"),
    (N_("paper of the L"), "L"),
    (N_("paper of the S"), "S"),
)
FORMER = frozenset(f"wrapping {number}" for number in range(2, 6))  # Games of earlier versions have these.
UNNAMED = FORMER | {wrapping for wrapping, _shape in WRAPPINGS}  # They say nothing of how the table's sheet looks.


@dataclass(frozen=True)
class Options:
    """The options of the table, with defaults as in the sheet."""

    pattern_map: tuple[tuple[str, str], ...] = option(
        WRAPPINGS,
        N_("Wrappings"),
        N_(
            "Which wrapping on your sheet goes with which shape. The stripes are the straight line. Name them "
            "as your sheet shows them."
        ),
        "SS-03",
    )
    mirror: bool = option(True, N_("Mirror images"), N_("A shape also counts turned over."), "SS-41")
    overlap: Overlap = option(
        Overlap.DISJOINT,
        N_("Groups that overlap"),
        N_("Lets one gift count in several groups, or in only one."),
        "SS-42",
        (
            OptionChoice(Overlap.DISJOINT, N_("Each gift in one group")),
            OptionChoice(Overlap.SHARED, N_("Gifts can be shared")),
        ),
    )
    exact_groups: bool = option(
        False, N_("Exact groups"), N_("A group doesn't count if more gifts of the same type touch it."), "SS-43"
    )
    altered_range: Range = option(
        Range.OUT_OF_RANGE,
        N_("A die changed to 0 or 7"),
        N_("What happens when you change a die to less than 1 or more than 6."),
        "SS-24",
        (
            OptionChoice(Range.OUT_OF_RANGE, N_("No gift, one coal")),
            OptionChoice(Range.STRICT, N_("Not allowed")),
            OptionChoice(Range.WRAP, N_("0 is 6 and 7 is 1")),
        ),
    )
    voluntary_coal: bool = option(
        False, N_("Coal by choice"), N_("A player who could place a gift can take a coal instead."), "SS-32"
    )


def check_options(options: Options, players: tuple[str, ...]) -> None:
    """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
    if sorted(shape for _, shape in options.pattern_map) != sorted(groups.TYPES):
        raise IllegalEvent(_("Use each of the shapes I, O, T, L, S once."))
    if any(not 1 <= len(wrapping) <= WRAPPING_LENGTH for wrapping, _ in options.pattern_map):
        raise IllegalEvent(
            _("A wrapping's name has 1 to {wrapping_length} characters. Change it.", wrapping_length=WRAPPING_LENGTH)
        )
    if len({wrapping for wrapping, _ in options.pattern_map}) != len(groups.TYPES):
        raise IllegalEvent(_("Two wrappings have the same name. Change one."))
    check_seats("Sack Stackers", players, FEWEST_PLAYERS, MOST_PLAYERS)  # SS-01
