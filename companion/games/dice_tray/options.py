"""The options of the dice tray, and the sets of them that come along (TR-02 … TR-31)."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, Preset, option, option_infos
from companion.games.seats import check_seats
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 1, 12  # TR-01
WHY_SEATS_STAY = N_("Everybody has a turn in each round, from the first one on.")  # TR-01
MOST_DICE = 20  # TR-02
SIX = 6


class Counts(StrEnum):
    """What counts of the dice that lie there (TR-20 … TR-25)."""

    SUM = "sum"
    BEST = "best"
    FACE = "face"
    POOL = "pool"
    ALIKE = "alike"
    RUN = "run"


@dataclass(frozen=True)
class Options:
    """The options of the table."""

    dice: int = option(
        0, N_("Dice"), N_("So many dice are in a roll. 0 is as many as lie there, up to 20."),
        "TR-02", (), 0, MOST_DICE,
    )  # fmt: skip
    counts: Counts = option(
        Counts.SUM, N_("What counts"), N_("A turn's points, by the dice that lie there at its end."), "TR-20",
        (
            OptionChoice(Counts.SUM, N_("The sum of all dice")),
            OptionChoice(Counts.BEST, N_("The sum of the best dice")),
            OptionChoice(Counts.FACE, N_("How many show a number")),
            OptionChoice(Counts.POOL, N_("How many show a number or more")),
            OptionChoice(Counts.ALIKE, N_("How many are alike")),
            OptionChoice(Counts.RUN, N_("How many are in a row")),
        ),
    )  # fmt: skip
    best: int = option(
        2, N_("Best dice"), N_("So many of the highest dice count, where only the best do."), "TR-21", (), 1, MOST_DICE
    )
    face: int = option(
        5, N_("The number"), N_("Dice that show it count, or that show it or more."), "TR-22", (), 1, SIX
    )
    rolls: int = option(
        1, N_("Rolls in a turn"),
        N_("So often you may roll, and keep any dice between. 0 is as often as you like."), "TR-12", (), 0, 9,
    )  # fmt: skip
    again: bool = option(
        False, N_("Sixes roll again"), N_("You may roll one more die for each six, and it counts, too."), "TR-14"
    )
    rounds: int = option(
        0, N_("Number of rounds"), N_("After so many the game is over. 0 is as many as you like."),
        "TR-30", (), 0, 99,
    )  # fmt: skip

    def check(self, players: tuple[str, ...]) -> None:
        """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
        check_seats("Dice Tray", players, FEWEST_PLAYERS, MOST_PLAYERS)  # TR-01
        for info in option_infos(Options):
            low, high = info.low, info.high
            if low is not None and high is not None and not low <= getattr(self, info.name) <= high:
                raise IllegalEvent(
                    _("{label}: choose a number from {low} to {high}.", label=info.label, low=low, high=high)
                )
        if self.again and self.rolls != 1:
            raise IllegalEvent(_("Sixes roll again only where a turn is one roll. Choose one of the two."))  # TR-14


PRESETS = (
    Preset("printed", N_("Any dice"), N_("Roll what you like. The sum counts, and the next player rolls.")),
    Preset(
        "best_two",
        N_("Best two of three"),
        N_("Three dice, and the two highest count. Five rounds."),
        {"dice": 3, "counts": Counts.BEST, "best": 2, "rounds": 5},
    ),
    Preset(
        "keep",
        N_("Keep and roll on"),
        N_("Five dice, up to three rolls. Keep what you like between. The most alike win."),
        {"dice": 5, "counts": Counts.ALIKE, "rolls": 3, "rounds": 5},
    ),
    Preset(
        "ones",
        N_("Count the ones"),
        N_("Six dice. Each 1 counts one point. Ten rounds."),
        {"dice": 6, "counts": Counts.FACE, "face": 1, "rounds": 10},
    ),
    Preset(
        "pool",
        N_("Dice pool"),
        N_("Any number of dice. Each 5 or 6 counts, and sixes roll again if you want."),
        {"counts": Counts.POOL, "face": 5, "again": True},
    ),
    Preset(
        "run",
        N_("The longest row"),
        N_("Six dice, up to three rolls. The longest row counts. Five rounds."),
        {"dice": 6, "counts": Counts.RUN, "rolls": 3, "rounds": 5},
    ),
)
