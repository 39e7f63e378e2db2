"""The switches of Stack: variants, house rules, and our readings of unclear points. Ids are those of the rule sheet."""

from dataclasses import dataclass
from enum import StrEnum

from companion.contract import Choice, option
from companion.errors import IllegalEvent

HIGHEST_TARGET = 1_000_000  # above or below zero: the sheet names no limit
MOST_PENALTIES, PENALTY_NAME_LENGTH, PENALTY_POINTS = 20, 40, 1000


class Starter(StrEnum):
    """Who begins the later rounds (ST-13)."""

    ROLL = "roll"
    ROTATE = "rotate"
    WINNER = "winner"
    LOSER = "loser"


class OutOfTurn(StrEnum):
    """What playing out of turn costs (ST-56)."""

    SKIPPED = "next own turn is skipped"
    WARNING = "warning only"


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet, and the number of teams (ST-70)."""

    target: int = option(
        200,
        "Points to pass",
        "The game ends after a round in which somebody has more.",
        "ST-60",
        (),
        -HIGHEST_TARGET,
        HIGHEST_TARGET,
    )
    starter_each_round: Starter = option(
        Starter.ROLL,
        "Who begins a later round",
        "How the starter of every round after the first is found.",
        "ST-13",
        (
            Choice(Starter.ROLL, "Roll for it again"),
            Choice(Starter.ROTATE, "The next one clockwise"),
            Choice(Starter.WINNER, "Who gained most in the last round"),
            Choice(Starter.LOSER, "Who gained least in the last round"),
        ),
    )
    teams: int = option(
        0,
        "Teams",
        "Seats alternate between the teams, so that partners never sit side by side.",
        "ST-70",
        (Choice(0, "Everybody alone"), Choice(2, "Two teams"), Choice(3, "Three teams"), Choice(4, "Four teams")),
    )
    team_stack_on_partner: bool = option(
        False, "Stack on a partner", "A partner's die may be stacked on like a rival's.", "ST-72"
    )
    partner_last_turn: bool = option(
        False, "A last turn for partners", "The partner of who goes out has a last turn too.", "ST-73"
    )
    penalty_one_value: int = option(
        10,
        "A 1 on the penalty roll",
        "What a 1 costs whoever knocked over a stack.",
        "ST-52",
        (Choice(10, "10 points"), Choice(1, "1 point")),
    )
    lost_turn_out_of_turn: OutOfTurn = option(
        OutOfTurn.SKIPPED,
        "Playing out of turn",
        "What follows when somebody plays out of turn.",
        "ST-56",
        (Choice(OutOfTurn.SKIPPED, "The next own turn is lost"), Choice(OutOfTurn.WARNING, "A warning")),
    )
    hr_die_off_table: bool = option(
        False, "Dice off the table", "Each die that falls off the table costs its player a point.", "ST-80"
    )
    hr_swearing: bool = option(False, "Swearing", "Swearing costs a point.", "ST-81")
    hr_rolled_two: bool = option(False, "Rolling a 2", "A turn's roll that shows a 2 costs a point.", "ST-82")
    hr_capture_tax: bool = option(
        False, "Capture tax", "When a stack is captured every other player loses a point.", "ST-83"
    )
    hr_double_four_high: bool = option(
        False, "Four high counts double", "A four-high stack counts twice its top number.", "ST-84"
    )
    custom_penalties: tuple[tuple[str, int], ...] = option(
        (),
        "Your own penalties",
        "One a line: a name, a colon and the points it takes, such as Spilled drink: 5.",
        "ST-85",
    )


def check_options(options: Options, players: int) -> None:
    """Raises IllegalEvent for switches that make no game."""
    if abs(options.target) > HIGHEST_TARGET:
        raise IllegalEvent(
            f"The points to pass are {-HIGHEST_TARGET} to {HIGHEST_TARGET}: choose a number of that range."
        )
    if options.penalty_one_value not in (10, 1):
        raise IllegalEvent("A 1 on the penalty roll costs 10 points or 1: choose one of them.")  # ST-52
    check_teams(options.teams, players)
    check_custom_penalties(options.custom_penalties)


def check_teams(teams: int, players: int) -> None:
    """ST-71: seats alternate, and partners must not sit side by side where the circle closes either."""
    if teams == 0:
        return
    if not 2 <= teams <= players:
        raise IllegalEvent(f"{players} players make no {teams} teams: choose another number of teams, or none.")
    if (players - 1) % teams == 0:
        raise IllegalEvent(
            f"With {players} players in {teams} teams partners would sit side by side: "
            "choose another number of teams, or none."
        )


def check_custom_penalties(penalties: tuple[tuple[str, int], ...]) -> None:
    """ST-85: names that can be told apart, points that are worth naming."""
    if len(penalties) > MOST_PENALTIES:
        raise IllegalEvent(f"At most {MOST_PENALTIES} penalties of your own can be named: leave some out.")
    if any(not 1 <= len(name.strip()) <= PENALTY_NAME_LENGTH for name, _ in penalties):
        raise IllegalEvent(f"The name of a penalty has 1 to {PENALTY_NAME_LENGTH} characters: shorten it.")
    if len({name for name, _ in penalties}) != len(penalties):
        raise IllegalEvent("Two penalties have the same name: call them differently.")
    if any(not 1 <= abs(points) <= PENALTY_POINTS for _, points in penalties):
        raise IllegalEvent(f"A penalty takes 1 to {PENALTY_POINTS} points: choose as many.")
