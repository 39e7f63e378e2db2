"""The turn clock on a phone, a tablet and the big screen: the clocks, one's own big field, what the table may do."""

from dataclasses import replace

from companion.game.charts import Figures
from companion.game.events import NOW_US
from companion.game.players import Viewer
from companion.game.scores import best_first, score_lines
from companion.game.widgets import (
    Choice,
    Clock,
    Headline,
    NumberEntry,
    ScoreLine,
    SeatCard,
    Seats,
    Standings,
    Tap,
    Tone,
    Widget,
)
from companion.games.turn_clock import events, rules
from companion.games.turn_clock.events import Event
from companion.games.turn_clock.options import Way
from companion.games.turn_clock.state import Stage, State, beginner, playing, shown_us, stage, zero_us
from companion.games.turn_clock.turns import MOST_CORRECTED_S
from companion.words import _, _n, joined, listed, seconds

MOST_NAMED = 3  # names in a headline


def view(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """The clocks, which are the fields to press: a big one on a player's own page, one a seat on the page of all."""
    now = stage(state)
    if now is Stage.OVER:
        return (_result(state, viewer), times(state, viewer))
    is_shared = viewer.player is None and not viewer.looks_on
    return (
        _headline(state, viewer, now),
        *(() if is_shared else _large(state, viewer, now)),
        Seats(tuple(_seat(state, viewer, player, is_shared) for player in state.players)),
        *_flow(now),
        *_order(state, viewer, now),
        *_corrections(state, viewer),
        _ends(state, viewer),
    )


def times(state: State, viewer: Viewer) -> Figures:
    """How long each player thought."""
    rows = []
    for player in state.players:
        seat = state.seats[player]
        mean = seconds(seat.used_us // seat.turns) if seat.turns else "–"
        rows.append((viewer.name(player), str(seat.turns), seconds(seat.used_us), mean, seconds(seat.longest_us)))
    heads = ("", _("Turns"), _("Time in all"), _("Time a turn"), _("Longest turn"))
    return Figures(_("Thinking time"), heads, tuple(rows))


def _headline(state: State, viewer: Viewer, now: Stage) -> Headline:
    detail = _("Round {number}", number=state.lap) if state.options.way is Way.ROUND else ""
    match now:
        case Stage.WAITING:
            who = _("{name} begins.", name=viewer.name(beginner(state)))
            who = detail or (_("All think at once.") if state.options.is_shared else who)
            return Headline(_("Press any button to start"), who, Tone.PRIMARY)
        case Stage.PAUSED:
            return Headline(_("Paused"), _("All clocks stand."), Tone.WARN)
    if state.rung:
        return Headline(_("Time is up"), listed(map(viewer.name, state.rung)), Tone.WARN)
    if viewer.player in state.thinking:
        return Headline(_("Your turn"), detail or _("Press when you are done."), Tone.PRIMARY)
    n, names = len(state.thinking), listed(map(viewer.name, state.thinking))
    if n > MOST_NAMED:
        return Headline(_n("{n} player thinks", "{n} players think", n), detail)
    return Headline(_n("{names} thinks", "{names} think", n, names=names), detail)


def _large(state: State, viewer: Viewer, now: Stage) -> tuple[Clock, ...]:
    """The viewer's own clock as one big field while it may be pressed, else the one that runs with the least time."""
    if viewer.player is not None and (tap := _press(state, viewer.player, now)) and not tap.refused:
        return (replace(_clock(state, viewer.player, _("Your time")), tap=tap),)
    if not state.thinking:
        return ()
    player = min(state.thinking, key=lambda each: (each != viewer.player, shown_us(state, each, state.at_us)))
    is_alone, is_up = len(state.thinking) == 1, state.options.way is Way.UP
    title = viewer.name(player) if is_alone else _("Time so far") if is_up else _("Time left")
    return (_clock(state, player, _("Your time") if player == viewer.player else title),)


def _clock(state: State, player: str, title: str) -> Clock:
    """A player's clock, running or not."""
    shown = shown_us(state, player, state.at_us)
    if state.since_us is None or player not in state.thinking:
        return Clock(title, None, None, abs(shown), Tone.DIM if state.since_us is None else Tone.PLAIN)
    begin_us, zero = state.since_us - state.spent_us, zero_us(state, player)
    if zero is None:
        return Clock(title, begin_us - state.seats[player].clock_us, None, shown)
    if _is_over_time(state, player):
        return Clock(title, zero, None, -shown, Tone.WARN)  # TC-32: it counts up what is too much.
    return Clock(title, begin_us, max(zero, begin_us + 1), shown)


def _is_over_time(state: State, player: str) -> bool:
    return player in state.rung or shown_us(state, player, state.at_us) < 0


def _press(state: State, player: str, now: Stage, name: str = "") -> Tap[Event] | None:
    """What a press of the player means now; None for one who is out."""
    if player not in playing(state):
        return None
    if now is Stage.WAITING:
        return Tap(name or _("Start"), event=events.Started(NOW_US), tone=Tone.PRIMARY)
    if now is Stage.PAUSED:
        return Tap(name, refused=_("All clocks stand. Tap Resume first."))
    if player in state.thinking:
        return Tap(name or _("Done"), event=events.Passed(player, NOW_US), tone=Tone.PRIMARY)
    return Tap(name, refused=_("This clock doesn't run now. The green one does."))


def _seat(state: State, viewer: Viewer, player: str, is_field: bool) -> SeatCard[Event]:
    """A player's card with the clock in it, which is the field to press on the page of all."""
    seat, name = state.seats[player], viewer.name(player)
    detail = _n("{n} turn", "{n} turns", seat.turns)
    if not seat.is_in:
        return SeatCard(player, name, _("Time is up") if seat.ran_out else _("Out"), detail, Tone.DIM)
    tap = _press(state, player, stage(state), name) if is_field else None
    tone = Tone.GOOD if player in state.thinking or (tap and not tap.refused) else Tone.PLAIN
    if _is_over_time(state, player):
        tone, detail = Tone.WARN, joined((_("Over time"), detail))
    return SeatCard(player, name, "", detail, tone, clock=replace(_clock(state, player, name), tap=tap))


def _flow(now: Stage) -> tuple[Choice[Event], ...]:
    if now is Stage.WAITING:
        return ()
    pause, go_on = Tap(_("Pause"), event=events.Paused(NOW_US)), Tap(_("Resume"), event=events.Resumed(NOW_US))
    return (Choice("", (pause if now is Stage.RUNNING else go_on,)),)


def _order(state: State, viewer: Viewer, now: Stage) -> tuple[Choice[Event], ...]:
    """Who comes next, and who is out."""
    taps, inside = list[Tap[Event]](), playing(state)
    if now is not Stage.WAITING and not state.options.is_shared:
        others = [player for player in inside if player not in state.thinking]
        taps.append(Tap(_("Turn the order round"), event=events.Reversed(NOW_US)))
        taps += [Tap(_("Skip this turn"), event=events.Skipped(NOW_US))] if others else []
        taps += [Tap(_("{name}'s turn", name=viewer.name(one)), event=events.TurnGiven(one, NOW_US)) for one in others]
    if len(inside) > 1:
        taps += [Tap(_("{name} is out", name=viewer.name(one)), event=events.DroppedOut(one, NOW_US)) for one in inside]
    back = [one for one in state.players if state.seats[one].may_return]
    taps += [Tap(_("{name} is back", name=viewer.name(one)), event=events.CameBack(one, NOW_US)) for one in back]
    return (Choice(_("Change the order"), tuple(taps), folded=True),) if taps else ()


def _corrections(state: State, viewer: Viewer) -> tuple[Widget[Event], ...]:
    """Whose clock is wrong, then by how many seconds."""
    if state.options.way is Way.ROUND and not state.thinking:
        return ()
    players = [player for player in state.players if not state.seats[player].ran_out]
    chosen = viewer.draft.get("clock")
    taps: tuple[Tap[Event], ...] = tuple(
        Tap(viewer.name(player), draft={"clock": "" if player == chosen else player}, chosen=player == chosen)
        for player in players
    )
    choice = Choice(_("Correct a clock"), taps, folded=True)
    if chosen not in players:
        return (choice,)
    prompt, most = _("Seconds more for {name}, or fewer with a minus", name=viewer.name(chosen)), MOST_CORRECTED_S
    return (choice, NumberEntry(prompt, events.Corrected(chosen, NOW_US, 1), "seconds", -most, most))


def _ends(state: State, viewer: Viewer) -> Choice[Event]:
    taps: list[Tap[Event]] = [
        Tap(_("{name} won", name=viewer.name(player)), event=events.Won(player, NOW_US)) for player in state.players
    ]
    return Choice(_("The game is over"), (*taps, Tap(_("Nobody won alone"), event=events.Drawn(NOW_US))), folded=True)


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    return score_lines(explained, viewer, rules.winners(state), rules.awaiting(state))


def _result(state: State, viewer: Viewer) -> Standings:
    lines = best_first(_lines(state, viewer))
    names = [line.name for line in lines if line.winner]
    won = _n("{names} wins", "{names} win", len(names), names=listed(names)) if names else _("Nobody wins")
    return Standings(won, lines)
