"""Options and a preset that several MaxStax games share; the help of some depends on the game."""

from typing import Any

from companion.equipment.deck import DECK_CHOICES, Deck
from companion.game.options import Preset, option
from companion.games.maxstax import timer
from companion.games.maxstax.stack_off import LIMIT_CHOICES
from companion.games.maxstax.timer import BUMP_CHOICES, Bump
from companion.words import N_

TOURNAMENT = Preset(
    "tournament",
    N_("Tournament"),
    N_("If somebody else knocks a stack over, the round is replayed."),
    {"bump_rule": Bump.REPLAY},
    locked=True,
)


def bump_rule() -> Any:
    """The option for stacks knocked over by others (MX-24)."""
    return option(
        Bump.CONTINUES,
        N_("A stack knocked over by somebody else"),
        N_("What happens when somebody else or a wobbly table makes a stack fall."),
        "MX-24",
        BUMP_CHOICES,
    )


def stack_off_limit() -> Any:
    """The time limit of a stack-off (MX-32)."""
    return option(
        120,
        N_("Stack-off"),
        N_("How long a Speed-Stack-Off can last before the next card is turned up."),
        "MX-32",
        LIMIT_CHOICES,
    )


def shout_required(help: str) -> Any:
    """The option whether a stack counts by its shout (MX-20)."""
    return option(True, N_("MAX STAX must be shouted"), help, "MX-20")


def to_the_mm() -> Any:
    """The option for how exactly the camera compares stacks (MX-20)."""
    return option(
        False,
        N_("The camera compares to the millimetre"),
        N_(
            "Without this, a block counts as moved from a third of what it stands on. With it, a few millimetres "
            "count, and the camera asks more often."
        ),
        "MX-20",
    )


def tie_ms(help: str) -> Any:
    """The option for ties (SPD-04)."""
    return option(1, N_("Ties within (ms)"), help, "SPD-04", low=0, high=timer.MOST_TIE_MS)


def which_deck(help: str) -> Any:
    """The option for the printed or the bought deck (MX-07)."""
    return option(Deck.OWN, N_("Deck"), help, "MX-07", DECK_CHOICES)


def deck_subset(help: str) -> Any:
    """The option for a part of the deck (MX-06)."""
    return option((), N_("Cards in play"), help, "MX-06")
