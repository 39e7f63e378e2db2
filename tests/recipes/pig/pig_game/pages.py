"""What the players of Pig see, tap and read."""

from companion.game.how_to import HowTo, Topic
from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import AnyWidget, Choice, Headline, ScoreTable, Standings, Tap, Tone
from companion.words import _, _n, listed
from pig_game import rules
from pig_game.rules import FACES, PIG, Event, Held, Options, Rolled, State


def view(state: State, viewer: Viewer) -> tuple[AnyWidget, ...]:
    player = rules.next_player(state)
    explained = {each: rules.explain(state, each) for each in state.players}
    winners = tuple(
        each
        for each, held in zip(state.players, state.held, strict=True)
        if rules.is_over(state) and held == max(state.held)
    )
    table = score_lines(explained, viewer, winners, frozenset({player}))
    if not player:
        names = listed(map(viewer.name, winners))
        return (Standings(_n("{names} wins", "{names} win", len(winners), names=names), best_first(table)),)
    points = _("{points} points at stake", points=state.turn)
    if viewer.looks_on or viewer.player not in (None, player):
        return (Headline(_("{name} rolls", name=viewer.name(player)), points), ScoreTable(_("Points"), table))
    faces = tuple(Tap[Event](str(value), event=Rolled(player, value)) for value in FACES)
    hold = Tap[Event](_("Hold (+{points})", points=state.turn), event=Held(player), tone=Tone.PRIMARY)
    return (
        Headline(_("{name}: roll or hold", name=viewer.name(player)), points),
        Choice(_("What did you roll?"), faces, faces=True),
        *([Choice(_("Enough?"), (hold,))] if state.turn else []),
        ScoreTable(_("Points"), table),
    )


def describe(state: State, event: Event, viewer: Viewer) -> str:
    name = viewer.name(event.player)
    match event:
        case Rolled(_player, value) if value == PIG:
            return _("{name} rolled a 1 and lost {points} points.", name=name, points=state.turn)
        case Rolled(_player, value):
            return _("{name} rolled {value}.", name=name, value=value)
        case Held():
            return _("{name} held {points} points.", name=name, points=state.turn)
    return _("A ruling for {name}: {points}.", name=name, points=event.points)


def how_to(options: Options) -> HowTo:
    return HowTo(
        goal=Topic((_("Roll as often as you dare. The first with {goal} points wins.", goal=options.goal),)),
        turn=Topic((_("Roll the die. Its points are at stake."), _("Roll again, or hold: then they are yours."))),
        scoring=Topic((_("A 1 takes all points at stake, and your turn is over."),)),
        set_up=(_("You need one die."),),
        end=(_("Whoever holds {goal} points wins at once.", goal=options.goal),),
    )
