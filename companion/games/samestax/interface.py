"""SAMESTAX on a tablet, and the meaning of readings and buttons to it.

The draft field `blocks` counts the blocks of the Creator's stack, for a page that is tapped at each: "1,1,-1".
"""

import re
from dataclasses import replace

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.game.events import NOW_US
from companion.game.options import AS_PRINTED, Preset
from companion.game.players import Viewer
from companion.game.readings import Reading, Status, TowerReading
from companion.game.scores import score_lines
from companion.game.seeing import Eyes, Proposed, Remark
from companion.game.widgets import Choice, Headline, ScoreLine, ScoreTable, SeatCard, Seats, Tap, Tone, Track, Widget
from companion.games.maxstax import camera, round_view, timer, wording
from companion.games.maxstax.events import Bumped, GaveUp, RoundClosed, Shouted, Started, TimeRanOut, TimerEvent
from companion.games.maxstax.options import TOURNAMENT
from companion.games.maxstax.timer import Round, Stage
from companion.games.samestax import rules
from companion.games.samestax.rules import CreatorChosen, CreatorStackFell, Restacked, State, Turn
from companion.words import N_, _, seconds

WHOLE = re.compile("-?[0-9]{1,2}")

PRESETS = (
    AS_PRINTED,
    Preset(
        "quick",
        N_("Quick"),
        N_("No shout needed. Check the copies when the minute is over."),
        {"shout_required": False},
    ),
    TOURNAMENT,
)


def view(state: State, viewer: Viewer) -> tuple[Widget[rules.Event], ...]:
    """Clock, seats and the points the Creator holds; a player's own page adds the player's button."""
    current = state.current
    if rules.is_over(state):
        return (round_view.standings(_lines(state, viewer)),)
    if current is None:
        return (*_first_creator(state, viewer), _scores(state, viewer))
    choice = () if rules.begun(state) else (_choice_of_creator(state, viewer),)
    seats = tuple(_seat(state, viewer, current, player) for player in state.players)
    return (
        _headline(state, viewer, current),
        *(
            ()
            if current.faulty
            else round_view.clock(current.running, _("Time to build") if _creating(current) else _("Time to copy"))
        ),
        Seats(seats),
        *round_view.own_tap(seats, viewer),
        *_table_taps(current, viewer),
        *_block_counter(state, viewer, current),
        *round_view.photo_finish(current.running, viewer),
        *_creators_points(state, viewer, current),
        *choice,
        _scores(state, viewer),
    )


def _creating(current: Turn) -> bool:
    return current.replication is None


def _round_name(state: State) -> str:
    return _("Round {number} of {rounds}", number=len(state.past) + 1, rounds=rules.rounds(state))


def _first_creator(state: State, viewer: Viewer) -> tuple[Widget[rules.Event], ...]:
    return (
        Headline(
            _("Who builds first?"),
            _("Choose together. After that it goes clockwise, twice around the table."),
            Tone.PRIMARY,
        ),
        _choice_of_creator(state, viewer),
    )


def _choice_of_creator(state: State, viewer: Viewer) -> Choice[rules.Event]:
    tone = Tone.DIM if state.current else Tone.PRIMARY
    chosen = state.current.creator if state.current else None
    taps = tuple(
        Tap(
            viewer.name(player),
            event=CreatorChosen(player),
            tone=tone,
            refused=_("Already the first Creator.") if player == chosen else "",
        )
        for player in state.players
    )
    return Choice(_("First Creator"), taps)


def _headline(state: State, viewer: Viewer, current: Turn) -> Headline:
    name, creator = _round_name(state), viewer.name(current.creator)
    if current.faulty:
        return Headline(
            _("{name} is over", name=name),
            _("{creator}'s stack fell. Everyone gets the point back.", creator=creator),
            Tone.WARN,
        )
    if rules.stage(state) is Stage.PAUSED:
        return Headline(_("{name}: paused", name=name), _("The clock is stopped."), Tone.WARN)
    if _creating(current):
        return _creation_headline(state, name, creator)
    return _replication_headline(state, viewer, current, name, creator)


def _creation_headline(state: State, name: str, creator: str) -> Headline:
    title = _("{name}: {creator} builds", name=name, creator=creator)
    if rules.stage(state) is not Stage.WAITING:
        return Headline(title, _("{creator}, press your button when you're done.", creator=creator), Tone.GOOD)
    fewest, most = rules.BLOCKS
    detail = _(
        "{creator} builds a stack of {fewest} to {most} blocks while the others watch. {creator}, press Start.",
        creator=creator,
        fewest=fewest,
        most=most,
    )
    return Headline(title, detail, Tone.PRIMARY)


def _replication_headline(state: State, viewer: Viewer, current: Turn, name: str, creator: str) -> Headline:
    stage, waiting = rules.stage(state), timer.awaiting(current.running)
    if stage is Stage.WAITING and waiting:
        press = round_view.press_ready(name, (player for player in state.players if player in waiting), viewer)
        return Headline(_("Who's ready?"), press, Tone.PRIMARY)
    if stage is Stage.WAITING:
        detail = _("{creator}, start the copying minute.", creator=creator)
        return Headline(_("{name}: everyone's ready", name=name), detail, Tone.PRIMARY)
    if stage is Stage.RUNNING:
        how = _("Slap your button when yours matches.") if state.options.shout_required else _("It counts at the end.")
        return Headline(_("{name}: copy {creator}'s stack", name=name, creator=creator), how, Tone.GOOD)
    if timer.unjudged(current.running):
        return Headline(_("{name} is over", name=name), _("Which copies stand and match?"), Tone.PRIMARY)
    return Headline(_("{name} is over", name=name), _("Check the stacks. Does every copy match?"), Tone.PRIMARY)


def _seat(state: State, viewer: Viewer, current: Turn, player: str) -> SeatCard[rules.Event]:
    name = viewer.name(player)
    if player == current.creator:
        return _creator_seat(state, current, player, name)
    back = player in rules.reclaimed(current, state.players)
    if _creating(current):
        withheld = (
            _("{name} can win 1 point from you", name=viewer.name(current.creator))
            if current.creation.go_us is not None
            else ""
        )
        return SeatCard(player, name, _("Watching"), withheld, Tone.DIM)
    if current.faulty:
        return SeatCard(player, name, _("Point back"), "", Tone.GOOD)
    card = round_view.judged_seat(current.running, player, name, _("Copied"), state.options.tie_ms)
    return replace(card, detail=", ".join(filter(None, (_("point back") if back else "", card.detail))))


def _creator_seat(state: State, current: Turn, player: str, name: str) -> SeatCard[rules.Event]:
    """The Creator's card: the end of the creation, then the report that the stack fell (SAM-06)."""
    stage, running = rules.stage(state), current.running
    if current.faulty:
        return SeatCard(player, name, _("It fell"), _("keeps no point"), Tone.WARN)
    if not _creating(current):
        bumped = Tap[rules.Event](_("Someone hit it"), event=Bumped(player), tone=Tone.DIM)
        fell = CreatorStackFell(player)
        if rules.may_restack(state):  # The fall is no fault yet (SAM-03).
            again = Tap(_("It fell: build again"), event=Restacked(player, NOW_US))
            return SeatCard(
                player,
                name,
                _("Creator"),
                _creation_time(current),
                taps=(again, Tap(_("It fell and stays down"), event=fell, tone=Tone.DIM), bumped),
            )
        label = _("It fell before time was up") if stage is Stage.FINISHED else _("It fell")
        taps: tuple[Tap[rules.Event], ...] = (Tap(label, event=fell, tone=Tone.DIM),)
        if stage is not Stage.FINISHED:
            taps = (*taps, bumped)
        return SeatCard(player, name, _("Creator"), _creation_time(current), taps=taps)
    if stage is Stage.WAITING:
        return SeatCard(player, name, _("Creator"), _("press start"), Tone.PRIMARY)
    card = round_view.judged_seat(running, player, name, _("Creator"), state.options.tie_ms)
    own = (tap for tap in card.taps if not isinstance(tap.event, GaveUp))
    finished = tuple(replace(tap, label=_("Finished")) if isinstance(tap.event, Shouted) else tap for tap in own)
    return replace(card, state=_("Creator"), taps=finished)


def _creation_time(current: Turn) -> str:
    finished_us = current.creation.shouts.get(current.creator)
    if finished_us is None:
        return ""
    return _("finished after {time}", time=seconds(timer.elapsed_us(current.creation, finished_us)))


def _table_taps(current: Turn, viewer: Viewer) -> tuple[Widget[rules.Event], ...]:
    if current.faulty:
        return (Choice("", (Tap(_("Next round"), event=RoundClosed(), tone=Tone.PRIMARY),)),)
    start = _("Start building") if _creating(current) else _("Start copying")
    return round_view.table_taps(current.running, viewer, start)


def _block_counter(state: State, viewer: Viewer, current: Turn) -> tuple[Widget[rules.Event], ...]:
    """While the Creator builds: how many of the blocks are used, counted by tap (SAM-03). Only this page knows it."""
    if not _creating(current) or rules.stage(state) is not Stage.RUNNING:
        return ()
    _fewest, most = rules.BLOCKS
    used = 0
    for step in viewer.draft.get("blocks", "").split(","):
        if WHOLE.fullmatch(step):
            used = max(0, min(used + int(step), most))
    taps = (
        Tap[rules.Event](
            _("Count one block more"),
            adds={"blocks": "1"},
            refused="" if used < most else _("All {most} blocks are used.", most=most),
        ),
        Tap[rules.Event](
            _("Count one block less"),
            adds={"blocks": "-1"},
            tone=Tone.DIM,
            refused="" if used else _("No block is counted yet."),
        ),
    )
    return (Choice(_("Blocks used: {used} of {most}", used=used, most=most), taps),)


def _creators_points(state: State, viewer: Viewer, current: Turn) -> tuple[Widget[rules.Event], ...]:
    """The points that the Creator holds, reclaimed ones crossed out (SAM-02 … SAM-06)."""
    if current.creation.go_us is None:
        return ()
    others = len(state.players) - 1
    back = len(rules.reclaimed(current, state.players))
    return (Track(_("{name} still has", name=viewer.name(current.creator)), others, back),)


def _scores(state: State, viewer: Viewer) -> ScoreTable:
    awarded, whole = rules.check_sum(state)
    return ScoreTable(
        _("Score so far: {given} of {whole} points are won", given=awarded, whole=whole), _lines(state, viewer)
    )


def _lines(state: State, viewer: Viewer) -> tuple[ScoreLine, ...]:
    explained = {player: rules.explain(state, player) for player in state.players}
    active = rules.awaiting(state) if state.current else ()
    return score_lines(explained, viewer, rules.winners(state), active)


def describe(state: State, event: rules.Event, viewer: Viewer) -> str:
    """A sentence for the history."""
    current = state.current
    match event:
        case CreatorChosen(creator):
            return _("{name} is the first Creator.", name=viewer.name(creator))
        case CreatorStackFell(player):
            return _("{name}'s stack fell. Everyone gets the point back.", name=viewer.name(player))
        case Restacked(player):
            return _("{name}'s stack fell. {name} builds it again in the time left.", name=viewer.name(player))
        case Shouted(player, at_us) if current and _creating(current) and current.creation.go_us is not None:
            time = seconds(timer.elapsed_us(current.creation, at_us))
            return _("{name} finished building after {time}.", name=viewer.name(player), time=time)
        case TimeRanOut() if current:
            return _("The time to build ran out.") if _creating(current) else _("The time to copy ran out.")
        case Started() if current:
            name = _round_name(state)
            if _creating(current):
                return _("{round}: building started.", round=name)
            return _("{round}: copying started.", round=name)
    running = current.running if current else timer.Round(())
    return wording.describe(running, event, viewer.name, _round_name(state))


def eyes(state: State) -> Eyes:
    """The stacks; copies are compared with the Creator's stack in the same picture (SAM-04)."""
    current = state.current
    if rules.is_over(state) or current is None:
        return camera.NOTHING
    model = current.creator if current.replication else ""
    return camera.stacks(current.running, {}, state.players, state.options.to_the_mm, model)


def propose(state: State, reading: Reading) -> Proposed[rules.Event] | Remark | None:
    """The fall of the Creator's stack, which is final (SAM-06); copies wait for a shout (see `glanced`)."""
    return _fall(state, reading) if rules.stage(state) in (Stage.RUNNING, Stage.PAUSED) else None


def _fallen_before(state: State, reading: Reading, at_us: int) -> Proposed[rules.Event] | None:
    """The fall of the Creator's stack within the minute, if the minute ended while the camera looked (SAM-06)."""
    replication = state.current.replication if state.current else None
    over_us = timer.over_us(replication) if replication else None
    return _fall(state, reading) if over_us is not None and at_us < over_us else None


def _fall(state: State, reading: Reading) -> Proposed[rules.Event] | None:
    """The question whether the Creator's stack is faulty, if the picture shows it collapsed."""
    current = state.current
    if not isinstance(reading, TowerReading) or current is None or current.replication is None or current.faulty:
        return None
    place = state.players.index(current.creator) + 1
    if any(space.space == place and space.status is Status.COLLAPSED for space in reading.spaces):
        fell = _("The Creator's stack in space {space} fell.", space=place)
        return Proposed(CreatorStackFell(current.creator), confirm=True, note=fell, lasting=True)
    return None


def glanced(state: State, event: rules.Event | None, reading: Reading, at_us: int) -> Proposed[rules.Event] | None:
    """The verdict on a copy after a shout or at the end, or on the Creator's stack at a moment when it must stand."""
    if event is None:
        return _fallen_before(state, reading, at_us)
    current = state.current
    if not isinstance(reading, TowerReading) or current is None or current.replication is None or current.faulty:
        return None
    stood_us = _must_stand_us(current, current.replication, event)
    if stood_us is not None:
        return _not_standing(state, current, reading, at_us) if camera.is_of(stood_us, at_us) else None
    return camera.verdict(current.running, state.players, event, reading, at_us)


def _must_stand_us(current: Turn, replication: Round, event: rules.Event) -> int | None:
    """The instant of an event at which the Creator's stack must stand, or None for any other event.

    It must stand at the end of the creation (SAM-07) and when the others begin (SAM-06): the camera does not see a fall
    before that.
    """
    creation = current.creation
    match event:
        case Shouted(player, at_us) if player == current.creator and creation.shouts.get(player) == at_us:
            return at_us
        case TimeRanOut(at_us) if creation.ran_out and at_us == timer.over_us(creation):
            return at_us
        case Started(at_us) if replication.go_us == at_us + timer.COUNTDOWN_US:
            return at_us
    return None


def _not_standing(state: State, current: Turn, reading: TowerReading, at_us: int) -> Proposed[rules.Event] | None:
    """The question whether the Creator builds again or is faulty, if the stack does not stand in the picture."""
    place = state.players.index(current.creator) + 1
    fallen = (space for space in reading.spaces if space.space == place and space.status is not Status.STANDING)
    fell: rules.Event = CreatorStackFell(current.creator)
    if rules.may_restack(state):
        fell = Restacked(current.creator, at_us)
    return next((Proposed(fell, note=camera.space_sentence(space)) for space in fallen), None)


def bind(state: State, signal: Signal) -> TimerEvent | RoundClosed | None:
    """The event of a signal: a seat's button is ready, then MAX STAX; start starts too, confirm closes the round.

    The Creator's button starts both timers and ends the creation (MX-12, MX-16).
    """
    current = state.current
    if current is None:
        return None
    if current.faulty:
        return RoundClosed() if signal.pressed and signal.device is Device.CONFIRM else None
    creator_pressed = signal.device is Device.SEAT and round_view.seated(state.players, signal) == current.creator
    if signal.pressed and creator_pressed and rules.stage(state) is Stage.WAITING:
        return Started(signal.at_us)
    return round_view.bind(current.running, state.players, signal)


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance: as in every round, but the Creator's light shines while the stack must stand."""
    current = state.current
    if current is None:
        light = Light.OFF if rules.is_over(state) else Light.SLOW
        return BoxLook(Phase.OVER if rules.is_over(state) else Phase.WAITING, (light,) * len(state.players))
    box = round_view.look(current.running, state.players, now_us)
    lights = dict(zip(state.players, box.lights, strict=True))
    if rules.stage(state) is Stage.WAITING:
        lights[current.creator] = Light.SLOW if current.creator in rules.awaiting(state) else Light.OFF
    elif not _creating(current):
        lights[current.creator] = Light.OFF if current.faulty else Light.ON
    return BoxLook(Phase.FINISHED if current.faulty else box.phase, tuple(lights[player] for player in state.players))
