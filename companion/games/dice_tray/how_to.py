"""How to use the dice tray, with the options of the table."""

from companion.game.charts import Figures
from companion.game.how_to import Hint, HowTo, Topic
from companion.game.players import Viewer
from companion.game.widgets import AnyWidget, DiceRow, ScoreTable
from companion.games.dice_tray import pages, rules
from companion.games.dice_tray.lying import Die
from companion.games.dice_tray.options import Counts, Options
from companion.games.dice_tray.rules import Counted, Rolled, RolledAgain
from companion.words import N_, _, _n

SCORING = {
    Counts.SUM: N_("Your points are the sum of all dice that lie there."),  # TR-20
    Counts.ALIKE: N_("Your points are how many dice show the same, from a pair on."),  # TR-24
    Counts.RUN: N_("Your points are how many dice are in a row, such as 3 for 2, 3 and 4."),  # TR-25
}


def how_to(options: Options) -> HowTo:
    """How to use the tray."""
    turn = [
        _n("Roll {n} die.", "Roll {n} dice.", options.dice) if options.dice else _("Roll as many dice as you like."),
        _("The camera reads them, or you tap what they show."),
    ]
    if options.rolls != 1:  # TR-12
        turn += [
            _n("You may roll {n} time.", "You may roll {n} times.", options.rolls)
            if options.rolls
            else _("You may roll as often as you like."),
            _("Leave the dice that you keep where they lie, and roll the others. Or tap those that you keep."),
            _("Once you are content, let them count."),
        ]
    if options.again:  # TR-14
        turn.append(_("For each six you may roll one more die. The camera asks whether you did."))
    turn.append(_("Then the next player clockwise rolls. Correct a wrong die in the history."))
    ends: tuple[str, ...] = (_("The game is over once you end it."),)
    if options.rounds:  # TR-30
        ends += (_n("After {n} round it is over, too.", "After {n} rounds it is over, too.", options.rounds),)
    example = _example(options)
    dice = tuple(part for part in example if isinstance(part, DiceRow))
    made = tuple(part for part in example if isinstance(part, Figures))[:1]
    points = tuple(part for part in example if isinstance(part, ScoreTable))
    goal = Topic((_("Whoever has the most points wins."), _("Equal points share the win.")), points)  # TR-32
    set_up = (_("Put a tray or a cloth under the camera, so that no die rolls away."),)
    return HowTo(goal, Topic(tuple(turn), dice), Topic((scoring(options),), made), set_up, ends)


def scoring(options: Options) -> str:
    """What counts, in one sentence."""
    match options.counts:
        case Counts.BEST:  # TR-21
            return _n("The highest die counts.", "The {n} highest dice count.", options.best)
        case Counts.FACE:  # TR-22
            return _("Each die that shows {face} counts one point.", face=options.face)
        case Counts.POOL:  # TR-23
            return _("Each die that shows {face} or more counts one point.", face=options.face)
    return _(SCORING[options.counts])


def hint(state: rules.State) -> Hint | None:
    """What to tap now."""
    if rules.is_over(state):
        return None
    if state.fresh:
        return Hint("again", _("Roll the sixes again, or let this roll count."))
    if state.dice:
        return Hint("keep", _("Tap the dice that you keep and roll the others, or let them all count."))
    return Hint("roll", _("Roll, and tap what each die shows if no camera reads it."))


def _example(options: Options) -> tuple[AnyWidget, ...]:
    """The tray of two players after the first roll."""
    names = {seat: _("Player {number}", number=seat) for seat in "12"}
    state = rules.start(options, tuple(names))
    count = options.dice or 3
    state = rules.apply(state, Rolled("1", tuple(Die(value % 6 + 1, colour) for value, colour in _some(count))))
    if state.fresh:
        state = rules.apply(state, RolledAgain("1", (Die(2),) * state.fresh))
    elif state.dice:
        state = rules.apply(state, Counted("1"))
    return pages.view(state, Viewer(None, names, looks_on=True))


def _some(count: int) -> list[tuple[int, str]]:
    """Dice of an example: (a number, a colour)."""
    return [(2 * place + place // 2, ("red", "white", "blue")[place % 3]) for place in range(count)]
