"""How to play SWAPSTAX, for newcomers."""

from companion.equipment.deck import MOST_STARS, OWN_DECK
from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.games.maxstax import how_to as shared
from companion.games.maxstax import timer
from companion.games.maxstax.round_view import STAR
from companion.games.maxstax.timer import STACKING_US, Stage
from companion.games.swapstax.rules import points_for
from companion.games.swapstax.state import ROUNDS, SWAPS, Options, State, all_lie, in_stack_off, swapping
from companion.words import _


def how_to(options: Options) -> HowTo:
    """How to play SWAPSTAX."""
    easy, hard = (next(number for number, card in OWN_DECK.cards.items() if card.stars == stars) for stars in (1, 3))
    goal = _(
        "Everyone builds their own card. Harder cards have more stars, and stars are points. The most points after "
        "{rounds} rounds win.",
        rounds=ROUNDS,
    )
    turn = (
        # SWP-10, SWP-11
        _(
            "Don't like your card? Turn over a SWAP card and trade it for the top card of the pile or another player's "
            "card. That player can't say no."
        ),
        _("You have {swaps} SWAP cards for the whole game. Swap or pass, in turn, until everyone passes.", swaps=SWAPS),
        shared.ready_sentence(),
        _("Build your own card.") + f" {shared.time_sentence(STACKING_US)}",  # SWP-20, MX-10
        shared.done_sentence(options.shout_required),
        shared.bump_sentence(options.bump_rule),
    )
    scoring = (
        _("A complete stack scores the stars of its card. Anything else scores 0."),  # SWP-40
        _("Being fast brings no points."),  # SWP-40
    )
    rows = tuple((STAR * stars, str(points_for(stars, options))) for stars in range(1, MOST_STARS + 1))
    drawn = shared.cards(_("Two cards"), *((card, STAR * OWN_DECK.cards[card].stars) for card in (easy, hard)))
    return HowTo(
        Topic((goal,), drawn),
        Topic(turn, shared.copies()),
        Topic(scoring, (Figures(_("Points"), (_("stars"), _("points")), rows),)),
        (
            shared.blocks_step(),
            # SWP-01
            _("One of you is the Shuffler: shuffle the cards and put them face down. The Shuffler plays too."),
            _("Everyone puts {swaps} SWAP cards face down in front of them.", swaps=SWAPS),
        ),
        (
            _("After round {rounds}, the most points win.", rounds=ROUNDS),
            shared.stack_off_sentence(options.stack_off_limit),
        ),
        # SWP-02
        (_("From the Shuffler on, clockwise, everyone draws the top card and puts it face up."), shared.again_step()),
    )


def deal_due(state: State) -> bool:
    """Whether what a round needs has to be dealt or laid out now."""
    if state.ended or in_stack_off(state):
        return False  # a stack-off has one card for all
    return not all_lie(state) and timer.stage(state.current) is Stage.WAITING


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    if not state.order:
        return None
    if not in_stack_off(state) and not all_lie(state):
        return Hint("draw", _("Draw your card, then tap its picture."))
    if swapping(state) is not None:
        return Hint("swap", _("Tap whose card you want for yours, or tap Pass."))
    return None if state.ended else shared.hint(timer.stage(state.current), state.current)
