"""How to play SAMESTAX, for newcomers."""

from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.games.maxstax import how_to as shared
from companion.games.maxstax import timer
from companion.games.maxstax.timer import Stage
from companion.games.samestax.rules import BLOCKS, CREATION_US, REPLICATION_US, TIMES_CREATOR, Options, State, stage
from companion.words import _


def how_to(options: Options) -> HowTo:
    """How to play SAMESTAX."""
    fewest, most = BLOCKS
    goal = (
        _("One of you, the Creator, builds a stack. The others try to build the same one."),
        _("Everyone is Creator {times} times. The most points win.", times=TIMES_CREATOR),  # SAM-01, SAM-09
    )
    turn = (
        # SAM-03, MX-11
        _("The Creator builds a new stack from {fewest} to {most} blocks. The others watch.", fewest=fewest, most=most)
        + " "
        + _("The Creator has {seconds} seconds.", seconds=CREATION_US // shared.SECOND_US),
        _("Done early? The Creator's shout or button ends this part."),  # MX-16
        _("If the Creator's stack falls in that time, the Creator may build it again.")
        if options.restack
        else _("A stack that fell after it was done may not be built again."),  # SAM-03
        shared.ready_sentence(),
        _("Everyone else copies the Creator's stack.") + f" {shared.time_sentence(REPLICATION_US)}",  # SAM-04
        shared.done_sentence(options.shout_required),
        shared.bump_sentence(options.bump_rule),
    )
    scoring = (
        _("In each round, the Creator holds 1 point of every other player."),  # SAM-02
        _("A right copy gets its point back. The Creator keeps the points of all who fail."),  # SAM-04, SAM-05
        _("If the Creator's stack falls before the time is up, everyone gets their point back."),  # SAM-06
    )
    rows = ((_("right copy"), "1", "0"), (_("no right copy"), "0", "1"))
    table = Figures(_("One player's point"), ("", _("for the player"), _("for the Creator")), rows)
    return HowTo(
        Topic(goal, shared.cards(_("The same twice"), (shared.CARD, _("Creator")), (shared.CARD, _("copy")))),
        Topic(turn, shared.copies()),
        Topic(scoring, (table,)),
        (
            shared.blocks_step(),
            _("You need no cards."),  # SAM-01
            _("Choose who is Creator first. After each round it is the next player clockwise."),  # SAM-01
        ),
        (
            _(
                "When everyone was Creator {times} times, the most points win. Equal players share the win.",
                times=TIMES_CREATOR,
            ),
        ),
        (shared.again_step(),),
    )


def deal_due(state: State) -> bool:
    """Whether what a round needs has to be dealt or laid out now."""
    current = state.current
    return current is not None and current.replication is None and timer.stage(current.creation) is Stage.WAITING


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    current = state.current
    if current is None:
        return None
    if current.replication is None and not current.faulty:
        return Hint("create", _("The Creator taps Start building, builds any stack, and taps Finished."))
    return shared.hint(stage(state), current.running)
