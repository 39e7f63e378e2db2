"""The options of the turn clock: how it counts, its times, and the consequence of a time that is up."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, Preset, option, option_infos
from companion.games.seats import check_seats
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 1, 8  # TC-01
SECOND_US = 1_000_000


class Way(StrEnum):
    """How the clocks count (TC-20, TC-24 … TC-27)."""

    GAME = "game"
    HOURGLASS = "hourglass"
    TURN = "turn"
    UP = "up"
    ROUND = "round"


class Bonus(StrEnum):
    """What becomes of the bonus seconds (TC-21 … TC-23)."""

    ADDED = "added"
    GIVEN_BACK = "given back"
    DELAY = "delay"


class Zero(StrEnum):
    """The consequence of a time that is up (TC-30 … TC-32)."""

    OUT = "out"
    PASSES = "passes"
    GOES_ON = "goes on"


@dataclass(frozen=True)
class Options:
    """The options of the table; as they stand here they are a usual clock for two."""

    way: Way = option(
        Way.GAME,
        N_("How it counts"),
        N_("Whether a time is for the whole game or for each turn, runs into the other's glass, or only counts up."),
        "TC-20",
        (
            OptionChoice(Way.GAME, N_("Time for the whole game")),
            OptionChoice(Way.TURN, N_("Time for each turn")),
            OptionChoice(Way.HOURGLASS, N_("Hourglass")),
            OptionChoice(Way.UP, N_("Count up")),
            OptionChoice(Way.ROUND, N_("Rounds with a buzzer")),
        ),
    )
    minutes: int = option(10, N_("Minutes"), N_("The time of a clock: whole minutes."), "TC-20", (), 0, 180)
    seconds: int = option(0, N_("Seconds"), N_("The time of a clock: seconds beside the minutes."), "TC-20", (), 0, 59)
    bonus_s: int = option(
        5, N_("Bonus seconds"), N_("For each turn, where the time is for the whole game."), "TC-21", (), 0, 300
    )
    bonus: Bonus = option(
        Bonus.ADDED,
        N_("What the bonus does"),
        N_("Whether the bonus seconds come on top, give back what a turn used, or let the clock wait."),
        "TC-21",
        (
            OptionChoice(Bonus.ADDED, N_("Added after each turn")),
            OptionChoice(Bonus.GIVEN_BACK, N_("What you used comes back, up to the bonus")),
            OptionChoice(Bonus.DELAY, N_("The clock waits before it runs")),
        ),
    )
    zero: Zero = option(
        Zero.OUT,
        N_("When a time is up"),
        N_("What happens to the player whose time is up."),
        "TC-30",
        (
            OptionChoice(Zero.OUT, N_("The player is out")),
            OptionChoice(Zero.PASSES, N_("The turn passes on")),
            OptionChoice(Zero.GOES_ON, N_("The turn goes on")),
        ),
    )
    together: bool = option(
        False, N_("All think at once"), N_("All clocks run until each player has pressed."), "TC-29"
    )
    rounds: int = option(
        0, N_("Number of rounds"), N_("It ends after so many rounds. With 0 you say when."), "TC-62", (), 0, 100
    )
    break_s: int = option(
        0, N_("Break (seconds)"), N_("The next round starts after it. With 0 you start it."), "TC-28", (), 0, 600
    )
    first_seat: int | None = option(
        None, N_("Who begins"), N_("The seat that has the first turn. Leave empty for seat 1."), "TC-10", (), 1, 8
    )
    quiet: bool = option(False, N_("Quiet box"), N_("The box says all by its lights, without a sound."), "TC-73")

    @property
    def time_us(self) -> int:
        """The time of a full clock, in microseconds."""
        return 0 if self.way is Way.UP else (60 * self.minutes + self.seconds) * SECOND_US

    @property
    def bonus_us(self) -> int:
        return self.bonus_s * SECOND_US

    @property
    def is_shared(self) -> bool:
        """Whether all think at once (TC-27, TC-29)."""
        return self.together or self.way is Way.ROUND


PRESETS = (
    Preset("printed", N_("10 minutes + 5 seconds"), N_("For the whole game. Each turn gives 5 seconds more.")),
    Preset(
        "turn",
        N_("30 seconds a turn"),
        N_("Everyone has 30 seconds for each turn. Then the turn passes on."),
        {"way": Way.TURN, "minutes": 0, "seconds": 30, "bonus_s": 0, "zero": Zero.PASSES},
    ),
    Preset(
        "hourglass",
        N_("Hourglass, 1 minute"),
        N_("What you use runs into the glasses of the others."),
        {"way": Way.HOURGLASS, "minutes": 1, "bonus_s": 0},
    ),
    Preset("up", N_("Count up"), N_("How long each player thinks. No time runs out."), {"way": Way.UP, "bonus_s": 0}),
    Preset(
        "rounds",
        N_("Rounds of 3 minutes"),
        N_("Everyone plays at once. The buzzer ends each round."),
        {"way": Way.ROUND, "minutes": 3, "bonus_s": 0},
    ),
    Preset("quick", N_("Quick"), N_("3 minutes. Each turn gives 2 seconds more."), {"minutes": 3, "bonus_s": 2}),
    Preset("tournament", N_("Tournament"), N_("10 minutes + 5 seconds, locked, with a referee."), locked=True),
)


def check_options(options: Options, players: tuple[str, ...]) -> None:
    """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
    check_seats(_("Turn Clock"), players, FEWEST_PLAYERS, MOST_PLAYERS)  # TC-01
    for info in option_infos(Options):
        value = getattr(options, info.name)
        if info.high is not None and value is not None and not (info.low or 0) <= value <= info.high:
            raise IllegalEvent(
                _("{name}: choose a number from {low} to {high}.", name=info.label, low=info.low, high=info.high)
            )
    if options.way is not Way.UP and not options.time_us:
        raise IllegalEvent(_("A clock needs a time. Choose minutes or seconds."))
    if options.bonus_s and options.way is not Way.GAME:
        raise IllegalEvent(_("Bonus seconds go with a time for the whole game. Set them to 0."))
    if options.zero is Zero.PASSES and options.way in (Way.GAME, Way.HOURGLASS):  # TC-31
        raise IllegalEvent(_("A turn can pass on only where each turn has its own time. Choose what else happens."))
    if options.way is Way.HOURGLASS and (options.together or len(players) < 2):  # TC-24, TC-29
        raise IllegalEvent(_("An hourglass needs two players or more, who take turns."))
    if (options.rounds or options.break_s) and options.way is not Way.ROUND:
        raise IllegalEvent(_("Only rounds with a buzzer have a number and breaks. Set both to 0."))
    if (options.first_seat or 1) > len(players):  # TC-10
        raise IllegalEvent(_("Seat {seat} is empty. Choose who begins.", seat=options.first_seat))
