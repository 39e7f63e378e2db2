"""The pages of Stack on a tablet: the next step, the table, and the points.

The draft field `die` is the own die to be played; `entry` and `reports` have further fields.
"""

from collections.abc import Iterable

from companion.game.players import Viewer
from companion.game.widgets import Choice, DiceRow, Face, Headline, Notice, Stack, Stacks, Tap, Tone, Widget
from companion.games.stack_dice import rules, stacks
from companion.games.stack_dice.drawing import by_appearance, faces, loose, standing
from companion.games.stack_dice.entry import drop, start_roll
from companion.games.stack_dice.events import (
    Event,
    NumberChosen,
    PenaltyRolled,
    PickedUp,
    Rolled,
    RoundCounted,
    Stacked,
)
from companion.games.stack_dice.reports import offer, report
from companion.games.stack_dice.scoring import stack_points, total
from companion.games.stack_dice.stacks import FULL_STACK, DieId
from companion.games.stack_dice.standings import result, scores
from companion.games.stack_dice.state import Stage, State, are_opponents, colour, round_number, stage, targets
from companion.games.stack_dice.wording import die_name, numbered
from companion.words import _, _n, _p, listed, signed


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The page: the turn and its moves, the table, the points, and a way to report mistakes."""
    page, open_report = _stage_page(state, viewer), report(state, viewer)
    body = (page[0], *open_report) if open_report else (*page, *offer(state, viewer))
    return (*body, *scores(state, viewer))


def _stage_page(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    match stage(state):
        case Stage.OVER:
            return (result(state, viewer),)
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


def _may_act(state: State, viewer: Viewer, player: str) -> bool:
    """Whether this page may act for the player: it is the player's own, or that of the whole table."""
    return viewer.player == player or viewer.player not in state.players


def _turn(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    player = state.turn
    assert player is not None
    if not _may_act(state, viewer, player):
        assert viewer.player is not None
        own = loose(state, (viewer.player,), _("Your unstacked dice"))
        return (
            Headline(_("{name}'s turn", name=viewer.name(player)), _bookkeeping(state, viewer)),
            *_warnings(state, viewer, player),
            *standing(state, _("Stacks")),
            *own,
            *_rivals(state, viewer, viewer.player),
        )
    die = _die_in_play(state, viewer, player)
    dice = (die,) if die else stacks.unstacked(state.layout, player)
    return (
        _turn_headline(state, viewer, player, die),
        *_warnings(state, viewer, player),
        *_own_dice(state, player, die),
        *(() if viewer.looks_on else _places(state, viewer, player, dice)),
        *(_roll(state, player, die) if die else ()),
        *standing(state, _("Stacks")),
        *_rivals(state, viewer, player),
    )


def _die_in_play(state: State, viewer: Viewer, player: str) -> DieId | None:
    """The die in hand, or the one chosen on this page."""
    if state.hand:
        return state.hand.die
    chosen = viewer.draft.get("die", "")
    return chosen if chosen in stacks.unstacked(state.layout, player) else None


def _turn_headline(state: State, viewer: Viewer, player: str, die: DieId | None) -> Headline:
    title = _("{name}'s turn", name=viewer.name(player))
    if die is None:
        how = _("Tap where a {colour} die goes, or choose one to roll.", colour=_(colour(state, player)))
        what = "" if viewer.looks_on else how
    else:
        face = state.layout.faces[die]
        if state.hand and state.hand.was is not None:
            title, what = (
                _("{name}'s turn: stack the {face}", name=viewer.name(player), face=face),
                _("You rolled it. Choose where it goes."),
            )
        elif targets(state, player, face):
            what = _("Put the {face} on a rival's {face}, or roll it.", face=face)
        elif state.hand:
            what = _("The {face} fits nowhere now. Roll it.", face=face)
        else:
            what = _("The {face} fits nowhere now. Roll it, or choose another die.", face=face)
    return Headline(title, f"{what} {_bookkeeping(state, viewer)}".strip(), Tone.PRIMARY)


def _bookkeeping(state: State, viewer: Viewer) -> str:
    """A text about lost turns and last turns (ST-40)."""
    words = []
    if state.passed:
        words.append(_("{names} lost a turn.", names=listed(map(viewer.name, state.passed))))
    if state.last_turns:
        gone = listed(map(viewer.name, state.out))
        words.append(_n("{names} is out.", "{names} are out.", len(state.out), names=gone))
        then = _p("between names in their order", ", then ")
        words.append(_("Last turns: {names}.", names=then.join(map(viewer.name, state.last_turns))))
    return " ".join(words)


def _warnings(state: State, viewer: Viewer, player: str) -> tuple[Notice, ...]:
    """Warnings about last unstacked dice, which end the round (ST-40, ST-41)."""
    if state.last_turns is not None:
        return ()
    warnings = []
    if len(stacks.unstacked(state.layout, player)) == 1:
        warnings.append(
            _(
                "This is {name}'s last unstacked die. Stacking it ends the round, so say it out loud.",
                name=viewer.name(player),
            )
        )
    for rival in state.players:
        if are_opponents(state, player, rival) and len(stacks.unstacked(state.layout, rival)) == 1:
            last = die_name(state, stacks.unstacked(state.layout, rival)[0])
            warnings.append(
                _(
                    "The {die} is {name}'s last. Covering it ends the round for both.",
                    die=last,
                    name=viewer.name(rival),
                )
            )
    return tuple(Notice(text, Tone.WARN) for text in warnings)


def _own_dice(state: State, player: str, die: DieId | None) -> tuple[Widget[Event], ...]:
    """The dice to choose from, equal ones once; only the die in hand, if there is one (ST-34)."""
    if state.hand:
        number = state.layout.faces[state.hand.die]
        return (DiceRow(_("In hand"), (Face(number, colour(state, player)),)),)
    groups = by_appearance(state, ((unstacked,) for unstacked in stacks.unstacked(state.layout, player)))
    chosen_face = state.layout.faces[die] if die else None
    row = tuple(
        _own_die(state, player, face, len(group), group[0][0], chosen_face) for (face, _), group in groups.items()
    )
    return (DiceRow(_("Which die?"), row),)


def _own_die(state: State, player: str, face: int, number: int, die: DieId, chosen_face: int | None) -> Face[Event]:
    places = len(targets(state, player, face))
    body = colour(state, player)
    fits = _n("{n} place", "{n} places", places) if places else _("no place")
    tap: Tap[Event] = Tap(f"{numbered(body, face)}, {fits}", draft={"die": die}, chosen=face == chosen_face)
    return Face(face, body, f"×{number}" if places else _("×{number}, roll", number=number), tap)


def _places(state: State, viewer: Viewer, player: str, dice: Iterable[DieId]) -> tuple[Widget[Event], ...]:
    """The places for these dice, with their points; equal places once (ST-31).

    A place says by its face which die goes there.
    """
    by_face = {state.layout.faces[die]: die for die in dice}
    drawn = tuple(
        _place(state, viewer, Stacked(player, die, group[0][-1]), group[0], layers, len(group))
        for face, die in sorted(by_face.items())
        for (_, layers), group in by_appearance(state, targets(state, player, face)).items()
    )
    if not drawn:
        return ()
    title = _("Where does the {face} go?", face=min(by_face)) if len(by_face) == 1 else _("Where does a die go?")
    return (Stacks(title, drawn),)


def _place(
    state: State, viewer: Viewer, event: Stacked, under: stacks.Stack, layers: tuple[str, ...], number: int
) -> Stack[Event]:
    face, below = state.layout.faces[under[-1]], stacks.owner(under[-1])
    after = rules.apply(state, event)
    words = [_("{n} of these", n=number)] if number > 1 else []
    if len(under) + 1 == FULL_STACK:
        words.append(_("captures"))
    for player in (event.player, below):
        if change := total(after, player) - total(state, player):
            points = _n("{points} point", "{points} points", abs(change), points=signed(change))
            words.append(points if player == event.player else f"{viewer.name(player)} {points}")
    ends = state.last_turns is None and stacks.unstacked(state.layout, below) == under
    if ends and are_opponents(state, event.player, below):
        words.append(_("ends the round"))
    label = _(
        "Onto {colours}, showing {face}: {effects}",
        colours=", ".join(map(_, layers)),
        face=face,
        effects=", ".join(words),
    )
    return Stack(face, layers, " · ".join(words), "target", Tap(label, event=event))


def _roll(state: State, player: str, die: DieId) -> tuple[Widget[Event], ...]:
    """The entry of the rolled face, or the way to let the camera read it (ST-36)."""
    if state.hand and state.hand.was is not None:
        return ()
    entry = faces(
        _("Rolled it instead? Tap what it shows now"), lambda face: Tap(str(face), event=Rolled(player, die, face))
    )
    if state.hand:
        return (Notice(_("Roll it. The camera reads it, or tap what it shows.")), entry)
    pick_up = Tap(_("Roll it for the camera"), event=PickedUp(player, die))
    return (entry, Choice("", (pick_up,)))


def _rivals(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """All other players' unstacked dice."""
    return tuple(
        widget
        for rival in state.players
        if rival != player
        for widget in loose(state, (rival,), _("{name}'s unstacked dice", name=viewer.name(rival)))
    )


def _penalty_roll(state: State, viewer: Viewer, player: str) -> tuple[Widget[Event], ...]:
    """The penalty roll, with the stacks drawn for rebuilding (ST-50)."""
    headline = Headline(
        _("{name} rolls for the penalty", name=viewer.name(player)),
        _("Roll one die. You lose what it shows. Set the stacks up as drawn here."),
        Tone.WARN,
    )
    roll = faces(_("What does it show?"), lambda face: Tap(str(face), event=PenaltyRolled(player, face)))
    entry = (roll,) if _may_act(state, viewer, player) else ()
    return (headline, *entry, *standing(state, _("As the stacks stood, layer by layer")))


def _decision(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The owner's choice of a number (ST-54)."""
    decision = state.decision
    assert decision is not None
    owner, body = decision.owner, colour(state, decision.owner)
    headline = Headline(
        _("{name} decides", name=viewer.name(owner)),
        _(
            "{name} rolled a {colour} die by mistake: {old} became {new}.",
            name=viewer.name(decision.culprit),
            colour=_(body),
            old=decision.old,
            new=decision.new,
        ),
        Tone.WARN,
    )
    if not _may_act(state, viewer, owner):
        return (headline, *standing(state, _("Stacks")))
    taps = (
        Tap(_("Back to {old}", old=decision.old), event=NumberChosen(owner, decision.old)),
        Tap(_("It keeps the {new}", new=decision.new), event=NumberChosen(owner, decision.new)),
    )
    dice: DiceRow[Event] = DiceRow("", (Face(decision.old, body, _("was")), Face(decision.new, body, _("now"))))
    return (headline, dice, Choice(_("Which number does it keep?"), taps), *standing(state, _("Stacks")))


def _count(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The end of a round: each player's stacks and points, and the tap that counts them (ST-58)."""
    double = state.options.hr_double_four_high
    counted: tuple[Stacks[Event], ...] = tuple(
        Stacks(
            _("{name}'s stacks: {points} points", name=viewer.name(player), points=stack_points(state, player)),
            tuple(
                Stack(face, layers, _worth(stacks.points(state.layout, group[0], double), len(group)))
                for (face, layers), group in by_appearance(state, owned).items()
            ),
        )
        for player in state.players
        for owned in [[pile for pile in state.layout.stacks if stacks.owner(pile[-1]) == player]]
        if owned
    )
    headline = Headline(
        _("Round {round_number} is over", round_number=round_number(state)),
        _("The top number of every stack counts for its colour."),
        Tone.PRIMARY,
    )
    return (headline, Choice("", (Tap(_("Count the round"), event=RoundCounted(), tone=Tone.PRIMARY),)), *counted)


def _worth(points: int, number: int) -> str:
    """What a stack, or each of several equal ones, is worth."""
    if number > 1:
        return _("{n} of these, {points} points each", n=number, points=points)
    return _n("{points} point", "{points} points", points, points=points)
