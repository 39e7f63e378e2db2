"""The part of Stack's pages that reports mistakes (ST-50 … ST-56, ST-80, ST-81, ST-85).

Its draft fields are `report` (the kind of mistake) and `wrong` (the rival's die that was picked up).
"""

from collections.abc import Callable, Iterable

from companion.game.players import Viewer
from companion.game.widgets import Choice, Notice, Tap, Tone, Widget
from companion.games.stack_dice import events, stacks
from companion.games.stack_dice.drawing import dim, faces, layers, loose, standing
from companion.games.stack_dice.events import Event
from companion.games.stack_dice.options import OutOfTurn
from companion.games.stack_dice.stacks import DieId
from companion.games.stack_dice.state import Stage, State, actor, are_opponents, has_turn_left, rollers, stage
from companion.games.stack_dice.wording import die_name
from companion.words import _, listed

CLOSED = {"report": "", "wrong": ""}


def offer(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The tap that opens the list of possible mistakes."""
    return (Choice("", (dim(_("Report a mistake"), report="list"),)),) if kinds(state, viewer) else ()


def report(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The report of a mistake, step by step; empty while this page reports nothing."""
    chosen, possible = viewer.draft.get("report", ""), kinds(state, viewer)
    if not chosen or not possible:
        return ()
    back: Choice[Event] = Choice("", (Tap(_("Nothing happened"), draft=CLOSED, tone=Tone.DIM),))
    pages: dict[str, Callable[[State, Viewer], tuple[Widget[Event], ...]]] = {
        "knocked": knocked,
        "wrong": wrong_die,
        "turn": out_of_turn,
        "house": house_rules,
    }
    if any(chosen == what for what, _label in possible):
        return (*pages[chosen](state, viewer), back)
    taps: tuple[Tap[Event], ...] = tuple(Tap(label, draft={**CLOSED, "report": what}) for what, label in possible)
    return (Choice(_("What happened?"), taps), back)


def theirs(players: Iterable[str], viewer: Viewer) -> tuple[str, ...]:
    """Those of the players whose mistakes this page reports: a player's own page its player's, else everybody's."""
    return tuple(player for player in players if viewer.player in (None, player))


def kinds(state: State, viewer: Viewer) -> tuple[tuple[str, str], ...]:
    """(key, label) of each mistake that this page may report now."""
    current, options, possible = stage(state), state.options, []
    playing = current is Stage.TURNS
    may_knock = state.layout.stacks and ((playing and not state.accident) or state.no_place)
    if may_knock and theirs(rollers(state), viewer):
        possible.append(("knocked", _("A rolled die hit a stack")))
    if playing and not state.decision and theirs((actor(state),), viewer):
        possible.append(("wrong", _("Someone picked up a rival's die")))
    if playing and theirs((player for player in state.players if player != state.turn), viewer):
        possible.append(("turn", _("Someone played out of turn")))
    if current is not Stage.OVER and (options.hr_die_off_table or options.hr_swearing or options.custom_penalties):
        possible.append(("house", _("A penalty of this table")))
    return tuple(possible)


def knocked(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The report of a rolled die that knocked over stacks, which asks whether they stand again (ST-50, ST-51).

    It may be a die of this turn, or the one without a place that ended the turn before (ST-36).
    """
    return (
        Notice(
            _(
                "Rebuild the stacks as drawn here, and turn the rolled die back to its old number. That "
                "player's turn is over. A penalty roll comes next."
            ),
            Tone.WARN,
        ),
        Notice(_("Rebuilt means they stand as drawn. Knocked over by hand? Rebuild them. It costs nothing.")),
        *(
            Choice(
                _("{name}'s die. Are all the stacks rebuilt?", name=viewer.name(player)),
                (
                    Tap(_("Yes, all"), event=events.KnockedOver(player, True)),
                    Tap(_("No, another −10"), event=events.KnockedOver(player, False), tone=Tone.WARN),
                ),
            )
            for player in theirs(rollers(state), viewer)
        ),
        *standing(state, _("As they stood, layer by layer")),
    )


def wrong_die(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The report of a rival's die that was picked up: which one, and whether it was rolled (ST-53, ST-54)."""
    player = actor(state)
    rivals = [rival for rival in state.players if are_opponents(state, player, rival)]
    dice = {die for die in state.layout.faces if stacks.owner(die) in rivals}
    chosen = viewer.draft.get("wrong", "")

    def tap(die: DieId) -> Tap[Event]:
        return Tap(die_name(state, die), draft={"wrong": die}, chosen=die == chosen)

    which = (
        *loose(state, rivals, _("Which die did {name} pick up?", name=viewer.name(player)), tap),
        *layers(state, rivals, _("Or one out of a stack?"), tap),
    )
    if chosen not in dice:
        return which
    only = Tap[Event](_("It was just picked up"), event=events.PickedUpWrong(player, chosen))
    rolled = faces(
        _("Or was it rolled? What does it show now?"),
        lambda face: Tap(str(face), event=events.RolledWrong(player, chosen, face)),
    )
    lost = () if state.accident else (Choice(_("Lose the turn"), (only,)),)  # a penalty roll that is due comes first
    return (*which, *lost, rolled)


def out_of_turn(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The report of a move out of turn, which the players undo on the table (ST-56)."""
    others = theirs((player for player in state.players if player != state.turn), viewer)
    return (
        Notice(_("Put back what was played out of turn."), Tone.WARN),
        *_already_out(state, viewer),
        Choice(
            _("Who was it?"), tuple(Tap(viewer.name(player), event=events.PlayedOutOfTurn(player)) for player in others)
        ),
    )


def _already_out(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """What playing out of turn costs players without a turn left in this round (our reading of ST-56)."""
    gone = [player for player in state.players if player != state.turn and not has_turn_left(state, player)]
    if not gone or state.options.lost_turn_out_of_turn is OutOfTurn.WARNING:
        return ()
    names = listed(map(viewer.name, gone))
    return (Notice(_("{names} had no turn left this round. They lose the first turn of the next one.", names=names)),)


def house_rules(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The table's own penalties (ST-80, ST-81, ST-85)."""

    def who(prompt: str, event: Callable[[str], Event]) -> Choice[Event]:
        taps: tuple[Tap[Event], ...] = tuple(
            Tap(viewer.name(player), event=event(player)) for player in theirs(state.players, viewer)
        )
        return Choice(prompt, taps)

    questions = []
    if state.options.hr_die_off_table:
        questions.append(who(_("A die fell off (−1). Whose?"), events.FellOffTable))
    if state.options.hr_swearing:
        questions.append(who(_("Swearing (−1). Who?"), events.Swore))
    for name, points in state.options.custom_penalties:
        prompt = _("{penalty} (−{points}). Who?", penalty=name, points=abs(points))
        questions.append(who(prompt, lambda player, name=name: events.Penalised(player, name)))  # type: ignore[misc]
    return tuple(questions)
