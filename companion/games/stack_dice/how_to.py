"""How to play Stack, for newcomers."""

from companion.game.how_to import Hint, HowTo, Topic
from companion.game.widgets import Stack, Stacks
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.options import SEAT_COLOURS, Options, OutOfTurn, Starter
from companion.games.stack_dice.stacks import DICE, FULL_STACK, HIGHEST, HIGHEST_WORTH, worth
from companion.games.stack_dice.state import Stage, State, stage
from companion.words import _

FIRST, SECOND = SEAT_COLOURS[:2]
SCORED = ((5, (SECOND, FIRST)), (HIGHEST, (FIRST, SECOND, FIRST, SECOND)))  # These stacks are drawn: (face, layers).


def how_to(options: Options) -> HowTo:
    """How to play Stack."""
    return HowTo(_goal(options), _turn(options), _scoring(options), _set_up(options), _end(options), _drop(options))


def deal_due(state: State) -> bool:
    """Whether what a round needs has to be dealt or laid out now."""
    return stage(state) in (Stage.START_ROLL, Stage.DROP)


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    sentences = {
        Stage.START_ROLL: _("Tap what each die shows. The last one enters the roll."),
        Stage.DROP: _("Tap how many of your dice show each number."),
        Stage.TURNS: _("Tap where your die goes, or choose one to roll."),
        Stage.COUNT: _("The big button counts the points of the round."),
    }
    now = stage(state)
    return Hint(now, sentences[now]) if now in sentences else None


def _goal(options: Options) -> Topic:
    face = SCORED[0][0]
    drawn = Stacks[Event](
        _("Red goes on blue: both show {number}", number=face),
        (Stack(face, (FIRST,)), Stack(face, (SECOND,)), Stack(face, (SECOND, FIRST), _("stacked"), "target")),
    )
    sentences = (
        _("Put your dice on top of your rivals' dice. At the end of a round, the top die of a stack scores."),
        _("You win with the most points, once somebody has more than {target}.", target=options.target),  # ST-60
    )
    return Topic(sentences, (drawn,))


def _turn(options: Options) -> Topic:
    sentences = [
        _("Pick one of your dice that is in no stack. A die that you lifted must be played."),  # ST-30, ST-34
        _("Put it on the same number with a rival's colour on top."),  # ST-31, ST-32
        _("Or roll it first, once a turn. If the new number fits nowhere, your turn is over."),
        _("A stack {height} high is captured: nobody can add to it.", height=FULL_STACK),  # ST-35
        _("You can't pass. If nothing fits, roll one of your dice."),  # ST-38
        # ST-50 … ST-52
        _(
            "Your roll knocked over a stack? Rebuild it, turn your die back and roll one die: you lose that many "
            "points, and {points} for a 1.",
            points=options.penalty_one_value,
        ),
    ]
    if options.teams and not options.team_stack_on_partner:
        sentences.append(_("Your partner's dice are not rivals' dice: you can't stack on them."))  # ST-72
    if options.lost_turn_out_of_turn is OutOfTurn.SKIPPED:
        sentences.append(_("If you play when it's not your turn, you lose your next turn."))  # ST-56
    drawn = Stacks[Event](
        _("Where a red {number} may go", number=SCORED[0][0]),
        tuple(
            Stack(face, layers, _("yes") if may else _("no"), "target" if may else "")
            for face, layers, may in (
                (5, (SECOND,), True),
                (5, (FIRST, SECOND), True),
                (5, (SECOND, FIRST), False),
                (3, (SECOND,), False),
            )
        ),
    )
    return Topic(tuple(sentences), (drawn,))


def _scoring(options: Options) -> Topic:
    sentences = [
        _("When the round is over, each stack scores its top number for the colour on top."),  # ST-58
        _("A 1 is worth {points} points. Dice in no stack score nothing.", points=HIGHEST_WORTH),  # ST-59
    ]
    if options.hr_double_four_high:
        sentences.append(_("A stack {height} high counts double.", height=FULL_STACK))  # ST-84
    if options.hr_capture_tax:
        sentences.append(_("When somebody captures a stack, everyone else loses 1 point."))  # ST-83
    if options.hr_rolled_two:
        sentences.append(_("Rolling a 2 on your turn costs 1 point."))  # ST-82
    if options.hr_die_off_table:
        sentences.append(_("A die that falls off the table costs 1 point."))  # ST-80
    if options.hr_swearing:
        sentences.append(_("Swearing costs 1 point."))  # ST-81
    drawn = Stacks[Event](
        _("What these stacks score"),
        tuple(
            Stack(face, layers, _("{colour}: {points}", colour=_(layers[-1]), points=_points(options, face, layers)))
            for face, layers in SCORED
        ),
    )
    return Topic(tuple(sentences), (drawn,))


def _points(options: Options, face: int, layers: tuple[str, ...]) -> int:
    return worth(face) * (2 if options.hr_double_four_high and len(layers) == FULL_STACK else 1)  # ST-58, ST-84


def _set_up(options: Options) -> tuple[str, ...]:
    steps = [
        _("Clear a flat place, about 60 cm wide."),  # ST-03
        _("Everyone takes the {dice} dice of one colour.", dice=DICE),  # ST-01
        _("Everyone rolls one die. The highest number starts, a 1 beats all. Ties roll again."),  # ST-10
    ]
    if options.teams:
        steps.insert(0, _("Sit so that you have a rival on both sides, never a partner."))  # ST-71
    return tuple(steps)


def _drop(options: Options) -> tuple[str, ...]:
    later = {
        Starter.ROLL: _("In later rounds, roll again for who starts."),
        Starter.ROTATE: _("In later rounds, the next player clockwise starts."),
        Starter.WINNER: _("In later rounds, whoever won most in the last round starts."),
        Starter.LOSER: _("In later rounds, whoever won least in the last round starts."),
    }
    return (
        _("Everyone drops all {dice} dice gently in the middle.", dice=DICE),  # ST-20
        _("Move touching dice apart and pull far ones in. Every die lies flat and keeps its number."),
        later[options.starter_each_round],  # ST-13
    )


def _end(options: Options) -> tuple[str, ...]:
    return (
        # ST-40, ST-41
        _("When you stack your last die or cover a rival's last free die, the others have one more turn."),
        _("If the highest score is shared, play another round."),  # ST-62
    )
