"""A turn of Sandpile Panic: a piece placed, piles toppled, the next player (SP-12, SP-15, SP-20 … SP-37)."""

from dataclasses import replace

from companion.errors import IllegalEvent
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic.board import PINK, ready
from companion.games.sandpile_panic.events import Left, Placed, TakenOver, Topple, Toppled
from companion.games.sandpile_panic.islands import Special
from companion.games.sandpile_panic.options import Opening, piece_letters
from companion.games.sandpile_panic.state import Stage, State, on_turn, open_tops, opening_of, pieces_used, stage
from companion.words import _


def placed(state: State, event: Placed, ruled: bool) -> State:
    """The state after a piece was placed; the turn is not finished yet."""
    on_board(state, event.at)
    refusal = not_in_hand(state, event.player, event.pink)
    if not ruled:
        refusal = refusal or not_now(state, event.player) or not_there(state, event.player, event.at, event.pink)
    if refusal:
        raise IllegalEvent(refusal)
    board = boards.placed(state.board, event.at, PINK if event.pink else state.colours[event.player])
    earlier = state.highest if state.mover else 0
    return replace(
        state,
        board=board,
        mover=state.mover or event.player,
        pink_used=state.pink_used | {event.player} if event.pink else state.pink_used,
        highest=max(earlier, boards.highest(board)),
        skipped=(),
        changed=(event.at,),
    )


def not_now(state: State, player: str) -> str:
    """The sentence that refuses a placement now, "" when the player may place."""
    if state.ended:
        return _("The game is over. Start a new one.")  # SP-37
    if state.mover is not None:
        first = boards.spot(ready(state.board)[0])
        return _("The pile on {at} is ready to topple. Topple every such pile first.", at=first)  # SP-30
    if stage(state) is Stage.PIE:
        return _("First the second player decides whether to switch sides.")  # SP-12
    if player != on_turn(state):
        return _("It's another player's turn. Wait for yours.")
    return ""


def not_in_hand(state: State, player: str, pink: bool) -> str:
    """The sentence about a missing piece, "" when the player has one to place."""
    if pink:
        if state.options.special_piece is Special.NONE:
            return _("There's no pink piece in this game. Place one of your own.")  # SP-50
        if player in state.pink_used:
            return _("You've already placed your pink piece. Place one of your own.")  # SP-51
        return ""
    supply = state.options.piece_supply
    if supply is not None and pieces_used(state, player) >= supply:
        return _("All {supply} pieces of this colour are on the board. There are none left.", supply=supply)  # SP-05
    return ""


def not_there(state: State, player: str, at: str, pink: bool) -> str:
    """The sentence that refuses a space, "" for one that is empty (SP-20) or topped by the own colour or pink."""
    if refusal := too_early(state, pink):
        return refusal
    owner = boards.top(state.board[at])
    if owner in open_tops(state, player):
        return ""
    return _(
        "The top piece of {at} is {colour}. Choose an empty space, or one with {own} on top.",
        at=boards.spot(at),
        colour=boards.in_words(owner),
        own=boards.in_words(state.colours[player]),
    )  # SP-22


def too_early(state: State, pink: bool) -> str:
    """The sentence that refuses the pink piece as the opening of the pie rule, "" for any other piece (SP-12)."""
    if pink and opening_of(state) is Opening.PIE and not state.turns:
        first = boards.in_words(piece_letters(state.options)[0])
        return _("The first move uses a {colour} piece. Pink comes later.", colour=first)
    return ""


def toppled(state: State, event: Toppled, ruled: bool) -> State:
    """The state after a pile toppled, whoever owns it; the player chooses pile and side (SP-30, SP-33, SP-36)."""
    on_board(state, event.at)
    height = len(state.board[event.at])
    if event.start not in boards.SIDES:
        raise IllegalEvent(_("A block begins north, east, south or west. Choose a side."))
    if height < boards.BLOCK:
        raise IllegalEvent(
            _(
                "The pile on {at} has {height} pieces, but a block has {block}. Choose a higher pile.",
                at=boards.spot(event.at),
                height=height,
                block=boards.BLOCK,
            )
        )
    if not ruled:
        if state.mover is None:
            raise IllegalEvent(_("Nothing topples before a piece is placed. Place one first."))
        if event.player != state.mover:
            raise IllegalEvent(_("Only the player whose turn it is can topple. Wait for yours."))
        if height < boards.READY:
            raise IllegalEvent(
                _(
                    "The pile on {at} has only {height} pieces. Only piles of 5 or more topple.",
                    at=boards.spot(event.at),
                    height=height,
                )
            )  # SP-23
    board, spilled = boards.toppled(state.board, event.at, event.start)
    return replace(
        state,
        board=board,
        spilled=state.spilled + spilled,
        highest=max(state.highest, boards.highest(board)),
        changed=tuple(at for at in (event.at, *boards.beside(event.at)) if at in board),
    )


def toppled_each(state: State, player: str, topples: tuple[Topple, ...], ruled: bool) -> State:
    """The state after several topples in order."""
    changed = state.changed if topples else ()
    for topple in topples:
        state = toppled(state, Toppled(player, topple.at, topple.start), ruled)
        changed += state.changed
    return replace(state, changed=tuple(dict.fromkeys(changed or state.changed)))


def on_board(state: State, at: str) -> None:
    """Raises IllegalEvent for a space that is not on the board."""
    if at not in state.board:
        raise IllegalEvent(
            _("There's no space {at!r} on this board. Spaces are named like r1c1, row then column.", at=at[:12])
        )


def whole(state: State, ruled: bool) -> State:
    """The state after a whole turn; raises IllegalEvent while a pile is still ready (SP-30, SP-36)."""
    left = ready(state.board)
    if left and not ruled:
        raise IllegalEvent(_("{left} still has {n} pieces. Topple it too.", left=left[0], n=len(state.board[left[0]])))
    return turn_ended(state)


def turn_ended(state: State) -> State:
    """The state after a turn, unchanged while a pile is ready; if a piece was spilled, the game is over (SP-37).

    There is no equalising turn, and all toppling is finished first.
    """
    if ready(state.board):
        return state
    if state.spilled:
        return replace(state, mover=None, ended=True)
    if state.mover is None:
        return state
    turns = state.turns + (state.mover == on_turn(state))
    return passed_on(replace(state, mover=None, turns=turns))


def passed_on(state: State) -> State:
    """The turn goes to the next player who can place a piece; others are skipped (SP-15).

    If nobody can, which only a small supply of pieces causes, the game ends as it stands (our reading).
    """
    able = {player for player in state.players if can_place(state, player)}
    if not able:
        return replace(state, ended=True)
    skipped: tuple[str, ...] = ()
    while on_turn(state) not in able:
        skipped += (on_turn(state),)
        state = replace(state, turns=state.turns + 1)
    return replace(state, skipped=tuple(dict.fromkeys(skipped)))


def can_place(state: State, player: str) -> bool:
    """Whether a player has a piece and a space for it."""
    if all(not_in_hand(state, player, pink) for pink in (False, True)):
        return False
    return any(boards.top(pile) in open_tops(state, player) for pile in state.board.values())


def answered(state: State, event: TakenOver | Left, ruled: bool) -> State:
    """SP-12: player two takes over the opening or leaves it; that is not a turn, and the next one is black's."""
    if len(state.players) != 2:
        raise IllegalEvent(_("Only two players can switch sides. Place a piece."))
    if not ruled and (stage(state) is not Stage.PIE or event.player != state.order[1]):
        raise IllegalEvent(
            _("Only the second player may switch sides, right after the first move. Go on with the turn.")
        )
    if isinstance(event, Left):
        return replace(state, decided=True)
    white, black = state.order
    letters = state.colours
    return replace(state, decided=True, order=(black, white), colours={black: letters[white], white: letters[black]})
