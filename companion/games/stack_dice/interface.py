"""How Stack looks on a tablet, and what dice and buttons mean to it.

The draft keeps `die` (the own die that is to be played) besides what `entry` and `reports` keep.
"""

from collections.abc import Mapping

from companion.contract import D6, Device, Light, Look, Phase, Preset, Signal, Thrown, Viewer
from companion.games import rulings
from companion.games.rulings import Ruling
from companion.games.stack_dice import rules, stacks
from companion.games.stack_dice.camera import propose
from companion.games.stack_dice.drawing import (
    alike,
    colour,
    die_name,
    faces,
    loose,
    owned_by,
    seat_line,
    standing,
)
from companion.games.stack_dice.entry import drafted, drop, start_roll
from companion.games.stack_dice.events import (
    AllDropped,
    Dropped,
    Event,
    FellOffTable,
    KnockedOver,
    NumberChosen,
    Penalised,
    PenaltyRolled,
    PickedUp,
    PickedUpWrong,
    PlayedOutOfTurn,
    Rolled,
    RolledWrong,
    RoundCounted,
    Stacked,
    StartRolled,
    Swore,
)
from companion.games.stack_dice.options import OutOfTurn
from companion.games.stack_dice.reports import offer, report
from companion.games.stack_dice.scoring import side_totals, stack_points, total
from companion.games.stack_dice.stacks import FULL_STACK, DieId
from companion.games.stack_dice.state import Stage, State, are_opponents, round_number, sides, stage, targets
from companion.widgets import (
    Choice,
    DiceRow,
    Face,
    Headline,
    Notice,
    ScoreLine,
    ScoreTable,
    Stack,
    Stacks,
    Standings,
    Tap,
    Tone,
    Widget,
)

__all__ = ["PRESETS", "bind", "describe", "drafted", "look", "propose", "thrown", "view"]

PRESETS = (
    Preset("quick", "Quick", "Two or three rounds: the game ends when somebody has more than 50.", {"target": 50}),
    Preset("tournament", "Tournament", "The official rules, no house rules, and nothing can be switched.", {}, True),
)


def view(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """Whose turn it is, what can be played, the table, the points, and a way to report what went wrong."""
    page, reported = _stage_page(state, viewer), report(state, viewer)
    body = (page[0], *reported) if reported else (*page, *offer(state))
    return (*body, *_scores(state, viewer))


def _stage_page(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    match stage(state):
        case Stage.OVER:
            return (_result(state, viewer),)
        case Stage.START_ROLL:
            return start_roll(state, viewer)
        case Stage.DROP:
            return drop(state, viewer)
        case Stage.COUNT:
            return _count(state, viewer)
    if state.accident:
        return _penalty_roll(state, viewer, state.accident.player)
    if state.decision:
        return _decision(state, viewer)
    return _turn(state, viewer)


def _acts(state: State, viewer: Viewer, player: str) -> bool:
    """Whether this page may act for the player: the own one, or that of the whole table."""
    return viewer.player == player or viewer.player not in state.players


# a turn


def _turn(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    player = state.turn
    assert player is not None
    if not _acts(state, viewer, player):
        assert viewer.player is not None
        own = loose(state, (viewer.player,), "Your unstacked dice")
        return (
            Headline(f"{owned_by(viewer, player)} turn", _bookkeeping(state, viewer)),
            *_warnings(state, viewer, player),
            *standing(state, "Stacks"),
            *own,
            *_rivals(state, viewer, viewer.player),
        )
    die = _die_in_play(state, viewer, player)
    return (
        _turn_headline(state, viewer, player, die),
        *_warnings(state, viewer, player),
        *_own_dice(state, player, die),
        *(_places(state, viewer, player, die) if die else ()),
        *(_roll(state, player, die) if die else ()),
        *standing(state, "Stacks"),
        *_rivals(state, viewer, player),
    )


def _die_in_play(state: State, viewer: Viewer, player: str) -> DieId | None:
    """The die in hand, or the one chosen on this page."""
    if state.hand:
        return state.hand.die
    chosen = viewer.draft.get("die", "")
    return chosen if chosen in stacks.unstacked(state.layout, player) else None


def _turn_headline(state: State, viewer: Viewer, player: str, die: DieId | None) -> Headline:
    title = f"{owned_by(viewer, player)} turn"
    if die is None:
        what = f"Choose one of the {colour(state, player)} dice."
    else:
        face = state.layout.faces[die]
        if state.hand and state.hand.was is not None:
            title, what = f"{title}: stack the {face}", "It was rolled and has a place: choose where."
        elif targets(state, player, face):
            what = f"Put the {face} on a rival's {face}, or roll it."
        else:
            what = f"The {face} has no place now: roll it{'' if state.hand else ', or choose another die'}."
    return Headline(title, f"{what} {_bookkeeping(state, viewer)}".rstrip(), Tone.PRIMARY)


def _bookkeeping(state: State, viewer: Viewer) -> str:
    """ST-40: who has a last turn, in order; who was passed over."""
    words = []
    if state.passed:
        words.append(f"{' and '.join(map(viewer.name, state.passed))} lost a turn.")
    if state.last_turns:
        gone = " and ".join(map(viewer.name, state.out))
        words.append(f"{gone} {'is' if len(state.out) == 1 else 'are'} out.")
        words.append(f"Last turns: {', then '.join(map(viewer.name, state.last_turns))}.")
    return " ".join(words)


def _warnings(state: State, viewer: Viewer, player: str) -> tuple[Notice, ...]:
    """What a player is glad to know before it is too late: last dice end the round (ST-40, ST-41)."""
    if state.last_turns is not None:
        return ()
    found = []
    if len(stacks.unstacked(state.layout, player)) == 1:
        found.append(
            f"This is {owned_by(viewer, player)} last unstacked die: stacking it ends the round, so announce it."
        )
    for rival in state.players:
        if are_opponents(state, player, rival) and len(stacks.unstacked(state.layout, rival)) == 1:
            last = die_name(state, stacks.unstacked(state.layout, rival)[0])
            found.append(f"The {last} is {owned_by(viewer, rival)} last: who covers it ends the round for both.")
    return tuple(Notice(text, Tone.WARN) for text in found)


def _own_dice(state: State, player: str, die: DieId | None) -> tuple[Widget, ...]:
    """The dice to choose from, equal ones once; the one in hand alone, once there is one (ST-34)."""
    if state.hand:
        shown = state.layout.faces[state.hand.die]
        return (DiceRow("In hand", (Face(shown, colour(state, player)),)),)
    groups = alike(state, ((each,) for each in stacks.unstacked(state.layout, player)))
    chosen_face = state.layout.faces[die] if die else None
    row = tuple(
        _own_die(state, player, face, len(group), group[0][0], chosen_face) for (face, _), group in groups.items()
    )
    return (DiceRow("Which die?", row),)


def _own_die(state: State, player: str, face: int, number: int, die: DieId, chosen_face: int | None) -> Face:
    places = len(targets(state, player, face))
    fits = f"{places} place{'s' if places > 1 else ''}" if places else "no place"
    tap = Tap(f"{colour(state, player)} {face}, {fits}", draft={"die": die}, chosen=face == chosen_face)
    return Face(face, colour(state, player), f"×{number}" if places else f"×{number}, roll", tap)


def _places(state: State, viewer: Viewer, player: str, die: DieId) -> tuple[Widget, ...]:
    """ST-31: where the die may go, with what that is worth; equal places once."""
    groups = alike(state, targets(state, player, state.layout.faces[die]))
    if not groups:
        return ()
    drawn = tuple(
        _place(state, viewer, Stacked(player, die, group[0][-1]), group[0], layers, len(group))
        for (_, layers), group in groups.items()
    )
    return (Stacks(f"Where does the {state.layout.faces[die]} go?", drawn),)


def _place(
    state: State, viewer: Viewer, event: Stacked, under: stacks.Stack, layers: tuple[str, ...], number: int
) -> Stack:
    face, below = state.layout.faces[under[-1]], stacks.owner(under[-1])
    after = rules.apply(state, event)
    words = [f"×{number}"] if number > 1 else []
    if len(under) + 1 == FULL_STACK:
        words.append("captures")
    for player in (event.player, below):
        if change := total(after, player) - total(state, player):
            words.append(f"{'' if player == event.player else viewer.name(player) + ' '}{change:+d}")
    ends = state.last_turns is None and stacks.unstacked(state.layout, below) == under
    if ends and are_opponents(state, event.player, below):
        words.append("ends the round")
    label = f"Onto {', '.join(layers)}, showing {face}: {', '.join(words)}"
    return Stack(face, layers, ", ".join(words).replace("-", "−"), "target", Tap(label, event=event))


def _roll(state: State, player: str, die: DieId) -> tuple[Widget, ...]:
    """ST-36: what it shows is tapped in, or the camera waits for it once the die is in hand."""
    if state.hand and state.hand.was is not None:
        return ()
    entry = faces("Rolled instead? Tap what it shows now", lambda face: Tap(str(face), event=Rolled(player, die, face)))
    if state.hand:
        return (Notice("Roll it: the camera reads it, or tap what it shows."), entry)
    pick_up = Tap("Roll it for the camera", event=PickedUp(player, die))
    return (entry, Choice("", (pick_up,)))


def _rivals(state: State, viewer: Viewer, player: str) -> tuple[Widget, ...]:
    """Everybody else's unstacked dice."""
    return tuple(
        widget
        for rival in state.players
        if rival != player
        for widget in loose(state, (rival,), f"{owned_by(viewer, rival)} unstacked dice")
    )


# what comes between turns


def _penalty_roll(state: State, viewer: Viewer, player: str) -> tuple[Widget, ...]:
    """ST-50: while the stacks are rebuilt as they are drawn, who knocked them over rolls."""
    headline = Headline(
        f"{viewer.name(player)} rolls for the penalty",
        "Roll one die: what it shows is subtracted. Set the stacks up as they are drawn here.",
        Tone.WARN,
    )
    roll = faces("What does it show?", lambda face: Tap(str(face), event=PenaltyRolled(player, face)))
    entry = (roll,) if _acts(state, viewer, player) else ()
    return (headline, *entry, *standing(state, "As the stacks stood, layer by layer"))


def _decision(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """ST-54: the owner decides."""
    decision = state.decision
    assert decision is not None
    owner, body = decision.owner, colour(state, decision.owner)
    headline = Headline(
        f"{viewer.name(owner)} decides",
        f"{viewer.name(decision.culprit)} rolled a {body} die by mistake: {decision.old} became {decision.new}.",
        Tone.WARN,
    )
    if not _acts(state, viewer, owner):
        return (headline, *standing(state, "Stacks"))
    taps = (
        Tap(f"Back to {decision.old}", event=NumberChosen(owner, decision.old)),
        Tap(f"It keeps the {decision.new}", event=NumberChosen(owner, decision.new)),
    )
    dice = DiceRow("", (Face(decision.old, body, "was"), Face(decision.new, body, "now")))
    return (headline, dice, Choice("Which number does it keep?", taps), *standing(state, "Stacks"))


def _count(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    """ST-58: everybody sees which stack counts for whom, and one tap agrees."""
    double = state.options.hr_double_four_high
    counted = tuple(
        Stacks(
            f"{owned_by(viewer, player)} stacks: {stack_points(state, player)} points",
            tuple(
                Stack(face, layers, f"{stacks.points(state.layout, group[0], double)}" + _times(len(group)))
                for (face, layers), group in alike(state, mine).items()
            ),
        )
        for player in state.players
        for mine in [[pile for pile in state.layout.stacks if stacks.owner(pile[-1]) == player]]
        if mine
    )
    headline = Headline(
        f"Round {round_number(state)} is over", "The top number of every stack counts for its colour.", Tone.PRIMARY
    )
    return (headline, Choice("", (Tap("Count the round", event=RoundCounted(), tone=Tone.PRIMARY),)), *counted)


def _times(number: int) -> str:
    return f" ×{number}" if number > 1 else ""


# points


def _scores(state: State, viewer: Viewer) -> tuple[Widget, ...]:
    if stage(state) is Stage.OVER:
        return ()
    teams = (ScoreTable("Teams", _team_lines(state, viewer)),) if state.options.teams else ()
    title = f"If round {round_number(state)} ended now · {state.options.target} must be passed"
    return (*teams, ScoreTable(title, _lines(state, viewer)))


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    totals, waiting, winners = rules.score(state), rules.awaiting(state), rules.winners(state)
    return tuple(
        ScoreLine(
            player,
            viewer.name(player),
            totals[player],
            rules.explain(state, player),
            seat_line(state, player),
            active=player in waiting,
            winner=player in winners,
        )
        for player in state.players
    )


def _team_lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    """ST-70, ST-74: the combined scores."""
    totals, individual, winners = side_totals(state), rules.score(state), rules.winners(state)
    return tuple(
        ScoreLine(
            f"team-{number}",
            f"Team {number}: {' and '.join(map(viewer.name, side))}",
            totals[side],
            tuple((viewer.name(player), individual[player], "ST-70") for player in side),
            winner=side[0] in winners,
        )
        for number, side in enumerate(sides(state), start=1)
    )


def _result(state: State, viewer: Viewer) -> Standings:
    """ST-60: after whole rounds, the highest total above the target."""
    lines = _team_lines(state, viewer) if state.options.teams else _lines(state, viewer)
    names = " and ".join(map(viewer.name, rules.winners(state)))
    ordered = sorted(lines, key=lambda line: (-line.points, not line.winner))
    return Standings(f"{names} win{'' if ' and ' in names else 's'}", tuple(ordered))


# the history


def describe(state: State, event: Event, viewer: Viewer) -> str:
    """One sentence for the history."""
    match event:
        case StartRolled(rolls):
            return f"Rolled for the start: {', '.join(f'{viewer.name(player)} {face}' for player, face in rolls)}."
        case Dropped(player, values):
            return f"{viewer.name(player)} dropped the dice: {_drop_words(values)}."
        case AllDropped(dice):
            drops = "; ".join(f"{viewer.name(player)} {_drop_words(values)}" for player, values in dice)
            return f"The dice were dropped: {drops}."
        case PickedUp(player, die):
            return f"{viewer.name(player)} took the {die_name(state, die)} to roll it."
        case Stacked(player, die, onto):
            return f"{viewer.name(player)} put the {die_name(state, die)} on {_under_words(state, onto)}."
        case Rolled(player, die, value):
            return f"{viewer.name(player)} rolled the {die_name(state, die)}: {value}."
        case KnockedOver(player, rebuilt):
            what = "the stacks were rebuilt" if rebuilt else "they could not be rebuilt"
            return f"{viewer.name(player)}'s rolled die knocked over a stack; {what}."
        case PenaltyRolled(player, value):
            return f"{viewer.name(player)} rolled {value} for the penalty."
        case PickedUpWrong(player, die):
            return f"{viewer.name(player)} picked up the {die_name(state, die)} by mistake and lost the turn."
        case RolledWrong(player, die, value):
            return f"{viewer.name(player)} rolled the {die_name(state, die)} by mistake: {value}. The turn is lost."
        case NumberChosen(player, value):
            return f"{viewer.name(player)} chose: the die shows {value}."
        case PlayedOutOfTurn(player):
            warned = state.options.lost_turn_out_of_turn is OutOfTurn.WARNING
            return f"{viewer.name(player)} played out of turn {'and was warned' if warned else 'and loses the next'}."
        case FellOffTable(player):
            return f"A die of {viewer.name(player)} fell off the table."
        case Swore(player):
            return f"{viewer.name(player)} swore."
        case Penalised(player, name):
            return f"Penalty for {viewer.name(player)}: {name.strip().rstrip('.')}."
        case RoundCounted():
            return f"Round {round_number(state)} was counted."
        case Ruling(player):
            return rulings.described(event, viewer.name(player))
    raise TypeError(event)


def _drop_words(values: tuple[int, ...]) -> str:
    return " ".join(map(str, sorted(values)))


def _under_words(state: State, onto: DieId) -> str:
    """What a die was put on: "the blue 5", "a stack of 3, blue 5 on top"."""
    under = stacks.stack_under(state.layout, onto)
    if under is None or len(under) == 1:
        return f"the {die_name(state, onto)}"
    return f"a stack of {len(under)}, {die_name(state, onto)} on top"


# dice, buttons, lights


def thrown(event: Event, _options: rules.Options) -> tuple[Thrown, ...]:
    """Every die that was rolled or dropped; one that knocked over a stack is not told."""
    match event:
        case StartRolled(rolls):
            values = tuple(face for _, face in rolls)
        case Dropped(_, values):
            pass
        case AllDropped(dice):
            values = tuple(face for _, hand in dice for face in hand)
        case Rolled(value=value) | PenaltyRolled(value=value) | RolledWrong(value=value):
            values = (value,)
        case _:
            return ()
    return tuple(Thrown("die", D6, value) for value in values)


def bind(state: State, signal: Signal) -> Event | None:
    """A move needs the dice; the confirm button counts a round that is over."""
    confirms = signal.device is Device.CONFIRM and signal.pressed and stage(state) is Stage.COUNT
    return RoundCounted() if confirms else None


def colours(state: State) -> Mapping[str, str]:
    """The colour of each player's dice."""
    return {player: colour(state, player) for player in state.players}


def look(state: State, now_us: int) -> Look:
    """The light of whoever has to act blinks; the box tells of the last turns."""
    waiting = rules.awaiting(state)
    lights = tuple(Light.SLOW if player in waiting else Light.OFF for player in state.players)
    match stage(state):
        case Stage.OVER:
            return Look(Phase.OVER, lights)
        case Stage.COUNT:
            return Look(Phase.FINISHED, lights)
        case Stage.TURNS if state.last_turns:
            return Look(Phase.LAST_TURN, lights)
    return Look(Phase.WAITING, lights)
