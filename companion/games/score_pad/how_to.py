"""How to use the score pad, with the options of the table."""

from collections.abc import Iterator
from dataclasses import replace

from companion.game.how_to import Hint, HowTo, Topic
from companion.game.players import Viewer, Writers
from companion.game.widgets import AnyWidget, Grid, Headline, ScoreTable
from companion.games.score_pad import pages, rules
from companion.games.score_pad.options import Kind, Options
from companion.games.score_pad.rows import ALL, THOSE, Alike, Bonus, Run, Sum, SumOf, rows_of
from companion.games.score_pad.rules import Closed
from companion.words import N_, _, _n, joined, listed

GOALS = {
    Kind.ROUNDS: N_("Write your points after each round. The pad adds them up."),
    Kind.RUNNING: N_("Add points whenever somebody gets some."),
    Kind.ROWS: N_("Fill each row of your column once. You choose which row comes next."),
}
WRITERS = {
    Writers.OWN: N_("You write your own column on your phone. A shared tablet writes for all."),
    Writers.EVERYBODY: N_("Everybody may write in every column."),
    Writers.HOST: N_("The host writes for all."),
}


def how_to(options: Options) -> HowTo:
    """How to use the pad."""
    most = _("Whoever has the fewest points wins.") if options.lowest else _("Whoever has the most points wins.")
    turn, scoring, end = [_(GOALS[options.kind])], tuple(_scoring(options)), [_("The pad is over once you close it.")]
    if options.kind is Kind.ROWS:
        turn += [
            _n("You roll once a turn.", "You may roll {n} times a turn, and keep any dice between.", options.rolls)
            if options.rolls  # PAD-42
            else _("You may roll as often as you like, and keep any dice between."),
            _("The camera reads the dice, or you tap them. Each free row shows its points: tap one."),  # PAD-41
        ]
        end.append(_("It is over, too, once all rows are full."))  # PAD-30
    elif options.target:  # PAD-21
        end.append(_("It is over, too, once somebody has {points} points.", points=options.target))
    elif options.rounds:  # PAD-20
        end.append(_n("It is over, too, after {n} round.", "It is over, too, after {n} rounds.", options.rounds))
    turn.append(_("Correct wrong points in the history, like any turn."))
    set_up = [_(WRITERS[options.writers])]
    if options.dealer:  # PAD-24
        set_up.append(_("The first seat deals. After each round the next one does, clockwise."))
    pad = _example(options)
    sums = tuple(replace(part, title=_("Sum")) for part in pad[:1] if isinstance(part, Grid | ScoreTable))
    goal = Topic((most, _("Equal points share the win.")), pad[-1:])  # PAD-23
    return HowTo(goal, Topic(tuple(turn), pad[:1]), Topic(scoring, sums), tuple(set_up), tuple(end))


def hint(state: rules.State) -> Hint | None:
    """What to tap now."""
    if rules.is_over(state):
        return None
    match state.options.kind:
        case Kind.RUNNING:
            return Hint("add", _("Each tap on a number adds points."))  # PAD-15
        case Kind.ROUNDS:
            return Hint("write", _("Type the points, then tap the big button."))  # PAD-11
    if state.dice:
        return Hint("choose", _("Each free row shows its points for these dice. Tap one."))  # PAD-41
    if rules.next_to_roll(state):
        return Hint("roll", _("Roll, and tap what each die shows if no camera reads it."))  # PAD-40
    return Hint("row", _("Tap a row, then type its points."))


def _example(options: Options) -> tuple[AnyWidget, ...]:
    """The pad of two players with the first points in it."""
    names = {seat: _("Player {number}", number=seat) for seat in "12"}
    state = rules.start(options, tuple(names))
    for player in state.players:
        state = rules.apply(state, next(event for event in rules.legal(state, player) if not isinstance(event, Closed)))
    page = pages.view(state, Viewer(None, names, looks_on=True))
    return tuple(part for part in page if not isinstance(part, Headline))


def _scoring(options: Options) -> Iterator[str]:
    for row in rows_of(options.rows) if options.kind is Kind.ROWS else ():
        yield _("{name}: {rule}.", name=row.word, rule=_rule_text(row.rule))
    if options.halves:
        yield _("Half points may be written, and sums are told in half points.")
    yield _("Points may be below zero.") if options.negative else _("There are no points below zero.")


def _rule_text(rule: object) -> str:
    match rule:
        case SumOf(values):
            return _("the sum of the dice that show {values}", values=listed(map(str, values)))
        case Alike((), _points):
            return _("the sum of all dice")
        case Alike(groups, points):
            return _("{groups} alike: {points}", groups=joined(map(str, groups), " + "), points=_worth(points))
        case Run(length, None, points):
            return _("{length} in a row: {points}", length=length, points=_worth(points))
        case Run(length, int(low), points):
            return _("{low} to {high}: {points}", low=low, high=low + length - 1, points=_worth(points))
        case Bonus(points, least):
            return _("{points} points once the rows above have {least}", points=points, least=least)
        case Sum():
            return _("the sum of the rows above")
    return _("you type the points")


def _worth(points: str) -> str:
    words = {ALL: _("the sum of all dice"), THOSE: _("the sum of these dice")}
    return words.get(points) or _("{points} points", points=points)
