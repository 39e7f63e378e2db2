"""The options of the score pad: what is written, when it is over, who wins (PAD-01 … PAD-09)."""

from dataclasses import dataclass
from enum import StrEnum

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice, option, option_infos
from companion.game.players import Writers
from companion.games.score_pad.rows import MOST_ROWS, rows_of
from companion.games.seats import check_seats
from companion.words import N_, _

FEWEST_PLAYERS, MOST_PLAYERS = 1, 12  # PAD-01
WHY_SEATS_STAY = N_("Each column belongs to its player from the first to the last row.")  # PAD-01
LONGEST_TITLE = 60
MOST_ROUNDS = MOST_ROWS
MOST_POINTS = 99_999  # PAD-11
MOST_DICE = 8
MOST_STEPS = 6


class Kind(StrEnum):
    """What is written on a pad (PAD-02)."""

    ROUNDS = "rounds"
    RUNNING = "running"
    ROWS = "rows"


@dataclass(frozen=True)
class Options:
    """The options of the table."""

    title: str = option("", N_("Title"), N_("What you play. It stands at the top of the pad."), "PAD-03")
    kind: Kind = option(
        Kind.ROUNDS, N_("What you write"),
        N_("Points of each round, points as they come, or rows with names that each player fills once."), "PAD-02",
        (
            OptionChoice(Kind.ROUNDS, N_("Rounds")),
            OptionChoice(Kind.RUNNING, N_("Points as they come")),
            OptionChoice(Kind.ROWS, N_("Rows with names")),
        ),
    )  # fmt: skip
    rows: tuple[str, ...] = option(
        (), N_("Rows"), N_("One row a line: its name, a colon, its rule. Without a rule you type the points."), "PAD-30"
    )
    rounds: int = option(
        0, N_("Number of rounds"), N_("After so many the game is over. 0 is as many as you like, up to 40."),
        "PAD-20", (), 0, MOST_ROUNDS,
    )  # fmt: skip
    target: int = option(
        0, N_("Points that end the game"), N_("Once somebody has as many, the game is over. 0 is no such number."),
        "PAD-21", (), 0, MOST_POINTS,
    )  # fmt: skip
    lowest: bool = option(False, N_("Fewest points win"), N_("Whoever has the fewest points wins."), "PAD-23")
    negative: bool = option(True, N_("Points below zero"), N_("Lets you write points that are taken away."), "PAD-12")
    halves: bool = option(False, N_("Half points"), N_("Lets you write a half. Sums are of half points."), "PAD-13")
    steps: tuple[int, ...] = option(
        (1, 5, 10), N_("Steps of a tap"), N_("One tap adds as many, where points are added as they come."), "PAD-15"
    )
    dealer: bool = option(
        False, N_("A dealer"), N_("The pad says who deals: the first seat begins, and it moves clockwise."), "PAD-24"
    )
    dice: int = option(5, N_("Dice"), N_("So many dice are rolled for a row."), "PAD-40", (), 1, MOST_DICE)
    rolls: int = option(
        3, N_("Rolls for a row"), N_("So often a player may roll before they choose a row. 0 is as often as you like."),
        "PAD-42", (), 0, 9,
    )  # fmt: skip
    writers: Writers = option(
        Writers.OWN, N_("Who writes"),
        N_("Whose points a phone with a seat of its own may write. A shared tablet writes for all."), "PAD-50",
        (
            OptionChoice(Writers.OWN, N_("Each their own")),
            OptionChoice(Writers.EVERYBODY, N_("Everybody for all")),
            OptionChoice(Writers.HOST, N_("Only the host")),
        ),
    )  # fmt: skip

    @property
    def unit(self) -> int:
        """How many units a point has: a half is one where halves are written (PAD-13)."""
        return 2 if self.halves else 1

    @property
    def last_round(self) -> int:
        return self.rounds or MOST_ROUNDS

    def check(self, players: tuple[str, ...]) -> None:
        """Raises IllegalEvent for the first option, or number of players, that cannot be played."""
        check_seats("Score Pad", players, FEWEST_PLAYERS, MOST_PLAYERS)  # PAD-01
        if len(self.title) > LONGEST_TITLE:
            raise IllegalEvent(_("A title has at most {longest} characters. Shorten it.", longest=LONGEST_TITLE))
        is_writable = any(not row.is_made for row in rows_of(self.rows))
        if self.kind is Kind.ROWS and not is_writable:
            raise IllegalEvent(_("The pad has no row to write in. Type one row a line."))
        for info in option_infos(Options):
            low, high = info.low, info.high
            if low is not None and high is not None and not low <= getattr(self, info.name) <= high:
                raise IllegalEvent(
                    _("{label}: choose a number from {low} to {high}.", label=info.label, low=low, high=high)
                )
        if len(self.steps) > MOST_STEPS or any(not 1 <= step <= MOST_POINTS for step in self.steps):
            raise IllegalEvent(
                _("A pad has up to {most} steps, each of 1 point or more. Change them.", most=MOST_STEPS)
            )
