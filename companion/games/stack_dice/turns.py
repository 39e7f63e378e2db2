"""A round of Stack: the start roll, the drop, the turns, the last turns (ST-10 … ST-45)."""

from collections.abc import Mapping
from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games import seats
from companion.games.seats import check_player
from companion.games.stack_dice import stacks
from companion.games.stack_dice.events import PickedUp, Rolled, Stacked
from companion.games.stack_dice.options import Starter
from companion.games.stack_dice.scoring import is_decided, round_gains, stack_points
from companion.games.stack_dice.stacks import DICE, FULL_STACK, DieId, Layout, Stack
from companion.games.stack_dice.state import (
    HOUSE_PENALTY,
    InHand,
    NoPlace,
    Stage,
    State,
    are_opponents,
    check_face,
    clockwise,
    fined,
    objection,
    stage,
    targets,
    yet_to_drop,
    yet_to_roll,
)
from companion.words import N_, _

# before the turns


def start_rolled(state: State, rolls: tuple[tuple[str, int], ...]) -> State:
    """ST-10: the highest goes first, a 1 beats everything; ST-11: those tied for it roll again."""
    if stage(state) is not Stage.START_ROLL:
        raise IllegalEvent(_("We already know who starts. Correct that roll in the history, or play on."))
    waiting = yet_to_roll(state)
    rollers = [player for player, _value in rolls]
    if not rollers or not set(rollers) <= set(waiting) or len(set(rollers)) != len(rollers):
        raise IllegalEvent(_("Each player named here rolls one die for the start. Enter one for each of them."))
    for _player, value in rolls:
        check_face(value)
    rolled = {**state.rolls, **dict(rolls)}
    if len(rolled) < len(state.contenders):
        return replace(state, rolls=rolled)
    best = max(map(stacks.worth, rolled.values()))
    highest = tuple(player for player in state.contenders if stacks.worth(rolled[player]) == best)
    return begun_by(state, highest)


def begun_by(state: State, candidates: tuple[str, ...]) -> State:
    """The state in which a single candidate begins the round, or several roll for it (ST-11)."""
    if len(candidates) > 1:
        return replace(state, contenders=candidates, rolls={}, starter=None)
    return replace(state, contenders=(), rolls={}, starter=candidates[0])


def dropped(state: State, dice: tuple[tuple[str, tuple[int, ...]], ...]) -> State:
    """ST-01, ST-20: all dice lie unstacked with their numbers; when all players have dropped, the starter begins."""
    if stage(state) is not Stage.DROP:
        raise IllegalEvent(_("Dice are dropped at the start of a round, after the roll for the start. Not now."))
    if not dice:
        raise IllegalEvent(_("Nobody's dice were entered. Enter what they show."))
    faces = dict(state.layout.faces)
    waiting = set(yet_to_drop(state))
    for player, values in dice:
        if player not in waiting:
            raise IllegalEvent(_("This player's dice are already on the table. Correct the earlier drop instead."))
        if len(values) != DICE:
            raise IllegalEvent(_("Everyone drops {dice} dice, not {n}. Count them again.", dice=DICE, n=len(values)))
        for value in values:
            check_face(value)
        waiting.remove(player)
        faces |= stacks.named(player, values)
    state = replace(state, layout=Layout(faces))
    if waiting:
        return state
    assert state.starter is not None
    return next_turn(state, seats.clockwise(state.players, state.players.index(state.starter)))


def check_turn(state: State, player: str, ruled: bool) -> None:
    """Raises IllegalEvent unless it is this player's turn; `ruled` requires only that all dice are dropped."""
    check_player(state.players, player)
    if yet_to_drop(state) or (state.turn is None and not ruled):
        raise IllegalEvent(_("You can't take a turn now. Look at what comes first."))
    if ruled:
        return
    if state.accident:
        raise IllegalEvent(_("The penalty roll comes first. Enter it."))  # ST-50
    if state.decision:
        raise IllegalEvent(_("First the owner of the rolled die decides which number it keeps."))  # ST-54
    if player != state.turn:
        raise IllegalEvent(_("It's another player's turn. Wait, or report that someone played out of turn."))  # ST-56


def check_own_die(state: State, player: str, die: DieId, ruled: bool) -> None:
    """Raises IllegalEvent unless it is an own unstacked die (ST-30), and the one in hand if there is one (ST-34)."""
    if die not in stacks.unstacked(state.layout, player):
        raise IllegalEvent(_("You can play only your own unstacked dice. Choose one."))
    if state.hand and state.hand.die != die and not ruled:
        raise IllegalEvent(_("You must play a die that you picked up. Play the one in your hand."))


def picked_up(state: State, event: PickedUp, ruled: bool) -> State:
    """ST-34: a die that is picked up must be played."""
    check_turn(state, event.player, ruled)
    check_own_die(state, event.player, event.die, ruled)
    if state.hand and not ruled:
        raise IllegalEvent(_("This die is already in your hand. Stack it or roll it."))
    return replace(state, turn=event.player, hand=InHand(event.die), no_place=None)


def stacked(state: State, event: Stacked, ruled: bool) -> State:
    """ST-31: a die goes on a rival's die of the same number; the fourth captures (ST-35). The play stands (ST-34)."""
    check_turn(state, event.player, ruled)
    check_own_die(state, event.player, event.die, ruled)
    under = stacks.stack_under(state.layout, event.onto)
    if under is None or event.onto == event.die:
        raise IllegalEvent(_("You can't stack there. Choose a single die or the top of a stack."))
    refusal = objection(state, event.player, state.layout.faces[event.die], under)
    if refusal and not ruled:
        raise IllegalEvent(refusal)
    before = state
    state = replace(state, layout=stacks.put(state.layout, event.die, event.onto))
    if len(under) + 1 == FULL_STACK and state.options.hr_capture_tax:  # ST-83
        others = (player for player in state.players if player != event.player)
        state = fined(state, others, HOUSE_PENALTY, N_("Capture tax"), "ST-83")
    return turn_over(went_out(state, event.player, covered(before, under)), event.player)


def rolled(state: State, event: Rolled, ruled: bool) -> State:
    """ST-36: the die must be stacked if there is a place for the new number; otherwise the turn is over."""
    check_turn(state, event.player, ruled)
    check_own_die(state, event.player, event.die, ruled)
    if state.hand and state.hand.was is not None and not ruled:
        raise IllegalEvent(_("You can roll a die only once a turn. Stack it."))  # ST-37
    check_face(event.value)
    was = state.layout.faces[event.die]
    state = replace(
        state,
        turn=event.player,
        hand=InHand(event.die, was),
        no_place=None,
        layout=stacks.turned(state.layout, event.die, event.value),
    )
    if event.value == 2 and state.options.hr_rolled_two:  # ST-82
        state = fined(state, (event.player,), HOUSE_PENALTY, N_("Rolled a 2"), "ST-82")
    if targets(state, event.player, event.value):
        return state
    no_place = NoPlace(event.player, event.die, was, state.last_turns)
    return replace(turn_over(state, event.player), no_place=no_place)


def back_in_hand(state: State, roll: NoPlace) -> State:
    """The state before a roll without a place ended the turn; skipped players get their lost turns back."""
    skips = {player: turns + state.passed.count(player) for player, turns in state.skips.items()}
    return replace(
        state,
        turn=roll.player,
        hand=InHand(roll.die, roll.was),
        no_place=None,
        skips=skips,
        passed=(),
        last_turns=roll.last_turns,
    )


def turn_over(state: State, player: str) -> State:
    """The state after a player's turn, whatever happened in it (ST-45, ST-55)."""
    state = replace(state, hand=None, no_place=None)
    if state.last_turns is None:
        return next_turn(state, clockwise(state, player))
    left = tuple(other for other in state.last_turns if other != player)
    return next_turn(replace(state, last_turns=left), left)


def next_turn(state: State, order: tuple[str, ...]) -> State:
    """The state in which the first of `order` who can play has the turn; if nobody can, the round is over.

    Players who have lost a turn (ST-56) or have no die left to play (ST-44) are skipped.
    """
    last = state.last_turns is not None
    skips, passed = dict(state.skips), list[str]()
    able = [player for player in order if stacks.unstacked(state.layout, player)]
    while able:
        player = able.pop(0)
        if not skips.get(player):
            left = (player, *able) if last else None
            return replace(state, turn=player, skips=skips, passed=tuple(passed), last_turns=left)
        skips[player] -= 1
        passed.append(player)
        if not last:
            able.append(player)
    return replace(state, turn=None, skips=skips, passed=tuple(passed), last_turns=())


def covered(state: State, under: Stack) -> str | None:
    """The player whose last unstacked die is `under`, about to be covered (ST-41), or None."""
    player = stacks.owner(under[-1])
    return player if stacks.unstacked(state.layout, player) == under else None


def went_out(state: State, player: str, covered_last_of: str | None) -> State:
    """The state with `out` and `last_turns` if the die just stacked ends the round, otherwise unchanged.

    ST-40: with the own last die the player is out; ST-41: on an opponent's last die both are; ST-43: or both at once.
    ST-73: a partner of a player who went out has no last turn; after ST-41 all others are opponents of one of the two.
    """
    if state.last_turns is not None:
        return state  # ST-44: nothing extends the last turns.
    covers = covered_last_of is not None and are_opponents(state, player, covered_last_of)
    out: tuple[str, ...] = ()
    if covers or not stacks.unstacked(state.layout, player):
        out = (player, covered_last_of) if covers and covered_last_of else (player,)
    if not out:
        return state
    last_turns = tuple(
        other
        for other in clockwise(state, player)
        if other not in out
        and (state.options.partner_last_turn or any(are_opponents(state, other, gone) for gone in out))
    )
    return replace(state, out=out, last_turns=last_turns)


def round_counted(state: State) -> State:
    """ST-58: the stacks are counted; ST-60: the game ends, or another round begins."""
    if stage(state) is not Stage.COUNT:
        raise IllegalEvent(_("The round isn't over. Points are counted at the end."))  # ST-61
    gained = round_gains(state)
    after = replace(
        state,
        past=(*state.past, {player: stack_points(state, player) for player in state.players}),
        layout=Layout(),
        no_place=None,
        out=(),
        last_turns=None,
        passed=(),
    )
    return decided(begun_by(after, next_starters(after, gained)))


def decided(state: State) -> State:
    """The state with `ended` set between two rounds (ST-60, ST-62); a ruling may change it both ways.

    The starter of another round is already known, so it can be played if a ruling leaves the game undecided again.
    """
    if not state.past or state.layout.faces:
        return state  # Only whole rounds decide who has won.
    return replace(state, ended=is_decided(state))


def next_starters(state: State, gained: Mapping[str, int]) -> tuple[str, ...]:
    """The candidates for the start of the next round (ST-13). Our reading: equal best or worst players roll for it."""
    match state.options.starter_each_round:
        case Starter.ROTATE:
            assert state.starter is not None
            return clockwise(state, state.starter)[:1]
        case Starter.WINNER:
            return tuple(player for player in state.players if gained[player] == max(gained.values()))
        case Starter.LOSER:
            return tuple(player for player in state.players if gained[player] == min(gained.values()))
    return state.players
