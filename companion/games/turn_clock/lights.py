"""The button box of the turn clock: a seat's button passes on, and its light says whose turn it is (TC-70 … TC-73)."""

from companion.game.box import BoxLook, Device, Light, Phase, Signal
from companion.games.turn_clock.events import Event, Passed, Paused, Resumed, Started
from companion.games.turn_clock.options import SECOND_US, Way
from companion.games.turn_clock.state import Stage, State, playing, shown_us, stage

LAST_US = 10 * SECOND_US  # TC-71
BUZZ_US = 3 * SECOND_US  # TC-72
STARTING_US = SECOND_US // 2  # TC-10, TC-28


def bind(state: State, signal: Signal) -> Event | None:
    """The event of a press: a seat's starts or passes on, also when it is told late; Start starts, pauses, goes on."""
    if not signal.pressed:
        return None
    now, at_us = stage(state), signal.at_us
    if signal.device is Device.START:
        starts: dict[Stage, Event] = {Stage.WAITING: Started(at_us), Stage.PAUSED: Resumed(at_us)}
        return Paused(at_us) if now is Stage.RUNNING else starts.get(now)
    if signal.device is not Device.SEAT or signal.seat is None or not 1 <= signal.seat <= len(state.players):
        return None
    player = state.players[signal.seat - 1]
    if state.before and at_us <= state.at_us and player in state.before[0].thinking:
        return Passed(player, at_us)  # TC-13: the rules say whether it was in time.
    has_started = state.before is not None and isinstance(state.before[1], Started)
    turned_us = state.at_us if has_started else state.ended_us if now is Stage.WAITING else None
    if turned_us is not None and at_us < turned_us + STARTING_US:
        return None
    if now is Stage.WAITING:
        return Started(at_us)  # TC-10
    return Passed(player, at_us) if now is Stage.RUNNING and player in state.thinking else None


def look(state: State, now_us: int) -> BoxLook:
    """The box's appearance at an instant."""
    now = stage(state)
    lights = tuple(_light(state, now, player, now_us) for player in state.players)
    return BoxLook(Phase.WAITING if state.options.quiet else _phase(state, now, now_us), lights)  # TC-73


def _light(state: State, now: Stage, player: str, now_us: int) -> Light:
    match now:
        case Stage.WAITING:
            return Light.SLOW if player in playing(state) else Light.OFF
        case Stage.PAUSED:
            return Light.SLOW if player in state.thinking else Light.OFF
        case Stage.RUNNING if player in state.thinking:
            return Light.FAST if _is_last(state, player, now_us) else Light.ON
    return Light.OFF


def _phase(state: State, now: Stage, now_us: int) -> Phase:
    if now is Stage.OVER:
        return Phase.OVER
    if state.rang_us is not None and 0 <= now_us - state.rang_us < BUZZ_US:
        return Phase.FINISHED
    if now is not Stage.RUNNING:
        return Phase.PAUSED if now is Stage.PAUSED else Phase.WAITING
    is_last = any(_is_last(state, player, now_us) for player in state.thinking)
    return Phase.LAST_SECONDS if is_last else Phase.RUNNING


def _is_last(state: State, player: str, now_us: int) -> bool:
    """TC-71: whether the player's clock shows ten seconds or less, and not below zero."""
    return state.options.way is not Way.UP and 0 <= shown_us(state, player, now_us) <= LAST_US
