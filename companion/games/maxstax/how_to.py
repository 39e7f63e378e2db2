"""What newcomers to any of the MaxStax games need to know."""

from companion.equipment.deck import BLOCKS_EACH, OWN_DECK
from companion.game.charts import Pictures
from companion.game.how_to import Hint
from companion.games.maxstax.round_view import pictures
from companion.games.maxstax.timer import Bump, Round, Stage
from companion.words import _, _n, _p

PILES = 3  # MX-02
SECOND_US = 1_000_000
CARD, OTHER_CARD = 7, 1  # These two of our own deck are drawn.


def blocks_step() -> str:
    """The set-up step for everyone's blocks (MX-02)."""
    return _(
        "Everyone takes {blocks} blocks and makes {piles} piles of {number} beside an empty place to build.",
        blocks=BLOCKS_EACH,
        piles=PILES,
        number=BLOCKS_EACH // PILES,
    )


def again_step() -> str:
    """The step after a round (MX-02)."""
    return _("After a round, take all stacks apart and make the piles again.")


def ready_sentence() -> str:
    """How a round starts (MX-12, MX-13)."""
    return _("Everyone taps Ready. After 3-2-1 all start together.")


def time_sentence(limit_us: int) -> str:
    """How long a round lasts (MX-10, MX-11)."""
    return _("You have {seconds} seconds.", seconds=limit_us // SECOND_US)


def done_sentence(shout_required: bool) -> str:
    """When a stack is complete (MX-20 … MX-23)."""
    if shout_required:
        return _(
            "Done? Your stack must be exact and stand alone. Shout MAX STAX and slap your button. If it falls before "
            "that, build it again."
        )
    return _("Your stack must be exact and still stand when the time is up. If it falls before that, build it again.")


def bump_sentence(rule: Bump) -> str:
    """What happens when somebody else makes a stack fall (MX-24)."""
    if rule is Bump.REPLAY:
        return _("If somebody else knocks a stack over, play the round again.")
    return _("If somebody else knocks your stack over, build it again in the time that is left.")


def stack_off_sentence(limit_s: int | None) -> str:
    """How equal totals are decided (MX-31, MX-32)."""
    if limit_s is None:
        return _("Equal at the top? They race to one more card, and the first one done wins.")
    return _n(
        "Equal at the top? They race to one more card for up to {n} second, and the first one done wins.",
        "Equal at the top? They race to one more card for up to {n} seconds, and the first one done wins.",
        limit_s,
    )


def copies() -> tuple[Pictures, ...]:
    """A stack, an exact copy, and one that is not (MX-20)."""
    return cards(_("Copy it exactly"), (CARD, _("this")), (CARD, _p("not wrong", "right")), (OTHER_CARD, _("wrong")))


def cards(title: str, *captions: tuple[int, str]) -> tuple[Pictures, ...]:
    """Pictures of cards of our own deck.

    captions    (number of the card, text below it; "" for its name)
    """
    chosen = ((OWN_DECK.cards[number], words) for number, words in captions)
    return pictures(title, ((card, words or _(card.name)) for card, words in chosen))


def hint(now: Stage, current: Round) -> Hint | None:
    """What the buttons of this stage of a race do."""
    shouts = _("Does a stack not match? Tap Not correct. The big button closes the round.")
    judges = _("Check each stack: tap Matches or Not complete. The big button closes the round.")
    sentences = {
        Stage.WAITING: _("Tap Ready when your blocks lie in their piles. Start begins the countdown."),
        Stage.RUNNING: _("Slap your button the moment your stack stands."),
        Stage.FINISHED: shouts if current.shout_required else judges,
    }
    return Hint(now, sentences[now]) if now in sentences else None
