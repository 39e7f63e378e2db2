"""The Speed-Stack-Off that decides equal highest sums in SPEEDSTAX and SWAPSTAX (MX-31, MX-32)."""

from collections.abc import Mapping

from companion.errors import IllegalEvent
from companion.game.options import OptionChoice
from companion.games.maxstax.timer import Round, places
from companion.words import N_, _

LONGEST_S = 3600
LIMIT_CHOICES = (OptionChoice(120, N_("2:00, then the next card")), OptionChoice(None, N_("No limit")))


def contenders(totals: Mapping[str, int], stack_offs: tuple[Round, ...], tie_ms: int) -> tuple[str, ...]:
    """The players who can still win: one, or those tied (MX-31, MX-32).

    totals      player → points of all rounds
    stack_offs  the closed stack-offs, in order
    """
    best = max(totals.values())
    tied = tuple(player for player, total in totals.items() if total == best)
    for stack_off in stack_offs:
        if not set(tied) <= set(stack_off.builders):
            continue  # a correction has since brought others into the tie, and it decided nothing about them
        first = {player for player, earlier in places(stack_off, tie_ms).items() if earlier == 0}
        tied = tuple(player for player in tied if player in first) or tied
    return tied


def next_round(tied: tuple[str, ...], limit_s: int | None, resting: frozenset[str] = frozenset()) -> Round:
    """A stack-off: only the tied take part, and the first complete stack wins; `limit_s` None for no time limit."""
    return Round(tied, None if limit_s is None else limit_s * 1_000_000, first_wins=True, resting=resting)


def check_limit(limit_s: int | None) -> None:
    """Raises IllegalEvent for a time limit that is out of range."""
    if limit_s is not None and not 1 <= limit_s <= LONGEST_S:
        raise IllegalEvent(
            _("A stack-off lasts 1 to {longest_s} seconds or has no limit. Choose one of those.", longest_s=LONGEST_S)
        )
