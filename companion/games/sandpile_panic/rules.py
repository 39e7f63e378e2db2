"""Sandpile Panic by "Tyler": the rulebook. Ids are those of the rule sheet (SP-…).

board.py holds spaces, piles and how they topple; islands.py holds islands and what they are worth.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, get_args

from companion.errors import IllegalEvent
from companion.game.options import Choice, option
from companion.games import rulings as referee
from companion.games.rulings import Ruling
from companion.games.sandpile_panic import board as sand
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.board import COLOURS, PINK, Board, Side, ready
from companion.games.sandpile_panic.islands import Island, Scoring, Sizes, Special
from companion.words import N_, _, _n

FEWEST_PLAYERS, MOST_PLAYERS = 2, 8  # SP-01
SMALLEST_BOARD, LARGEST_BOARD = 4, 10  # SP-03
FIRST_TIME_SIZE = {2: 5, 3: 5, 4: 7, 5: 8, 6: 8, 7: 8, 8: 8}  # SP-02, SP-03: marked for first-time players
TALL = 8  # SP-39: the manual says a pile should never be higher; a hint, no rule
MOST_PIECES = 999


class Opening(StrEnum):
    """How the advantage of the first move is taken away (SP-11)."""

    PIE = "pie"
    FAIR_SHARE = "fair_share"
    NONE = "none"


@dataclass(frozen=True)
class Options:
    """The table's switches, as in the sheet."""

    board_size: int | None = option(
        None,
        N_("Spaces along a side"),
        N_("From 4 to 10; leave it empty for the size marked for first-time players."),
        "SP-03",
        low=SMALLEST_BOARD,
        high=LARGEST_BOARD,
    )
    opening: Opening | None = option(
        None,
        N_("Opening"),
        N_("How the advantage of the first move is taken away; three or more players always share it fairly."),
        "SP-11",
        (
            Choice(None, N_("Pie rule for two, fair share for more")),
            Choice(Opening.PIE, N_("Pie rule")),
            Choice(Opening.FAIR_SHARE, N_("Fair share")),
            Choice(Opening.NONE, N_("Nothing: white simply begins")),
        ),
    )
    scoring: Scoring = option(
        Scoring.REGULAR,
        N_("Scoring"),
        N_("What decides the game; landgrab gives a ranking too."),
        "SP-40",
        (
            Choice(Scoring.REGULAR, N_("Regular: the largest island")),
            Choice(Scoring.LANDGRAB, N_("Landgrab: squares of the islands")),
            Choice(Scoring.NO_SMALL_ISLANDS, N_("No small islands: squares less 6 each")),
        ),
    )
    special_piece: Special = option(
        Special.NONE,
        N_("Hot pink piece"),
        N_("One pink piece for every player, which helps everybody or spoils what it touches."),
        "SP-50",
        (
            Choice(Special.NONE, N_("Not in the game")),
            Choice(Special.WILDCARD, N_("Wildcard: counts for everybody")),
            Choice(Special.PENALTY, N_("Penalty: its islands score nothing")),
        ),
    )
    piece_supply: int | None = option(
        None,
        N_("Pieces for each player"),
        N_("How many pieces of each colour there are; leave it empty when there are always enough."),
        "SP-05",
        low=1,
        high=MOST_PIECES,
    )


# what may happen


@dataclass(frozen=True)
class Placed:
    """A player put one piece on a space (SP-20, SP-21), their own or the pink one (SP-51)."""

    whole_table: ClassVar = True
    player: str
    at: str
    pink: bool = False


@dataclass(frozen=True)
class Toppled:
    """The player toppled a pile; the bottom piece of the block went to side `start`, the rest clockwise (SP-32)."""

    whole_table: ClassVar = True
    player: str
    at: str
    start: Side


@dataclass(frozen=True)
class Topple:
    """One topple of several: which pile, and where the bottom piece of its block went."""

    at: str
    start: Side


@dataclass(frozen=True)
class ToppledRest:
    """The player toppled pile after pile until none was ready any more."""

    whole_table: ClassVar = True
    player: str
    topples: tuple[Topple, ...]


@dataclass(frozen=True)
class Turned:
    """A player's whole turn at once: a piece placed, then every topple in order."""

    whole_table: ClassVar = True
    player: str
    at: str
    pink: bool = False
    topples: tuple[Topple, ...] = ()


@dataclass(frozen=True)
class TakenOver:
    """Player two took over the opening placement: white from now on, and player one is black (SP-12)."""

    whole_table: ClassVar = True
    player: str


@dataclass(frozen=True)
class Left:
    """Player two left the opening placement to white (SP-12)."""

    whole_table: ClassVar = True
    player: str


Event = Placed | Toppled | ToppledRest | Turned | TakenOver | Left | Ruling
EVENTS: tuple[type[Event], ...] = get_args(Event)


# what is on the table


@dataclass(frozen=True)
class State:
    """The table now.

    order       who has the first, second, … turn of a round; only taking over changes it
    colours     each player's letter, as in board.COLOURS
    turns       how many turns are finished or were skipped
    mover       who placed a piece and still has to topple; None while a placement is awaited
    pink_used   whose pink piece has been played
    spilled     the pieces that left the board; they never score
    highest     the height of the highest pile since the turn began
    decided     player two has answered the opening (pie rule)
    skipped     who was passed over just before this turn (SP-15)
    changed     the spaces that the newest event changed
    """

    options: Options
    players: tuple[str, ...]
    order: tuple[str, ...]
    colours: Mapping[str, str]
    board: Board
    turns: int = 0
    mover: str | None = None
    pink_used: frozenset[str] = frozenset()
    spilled: str = ""
    highest: int = 0
    decided: bool = False
    skipped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    ended: bool = False
    rulings: tuple[Ruling, ...] = ()


class Stage(StrEnum):
    """What is to be done next."""

    PLACING = "placing"
    TOPPLING = "toppling"
    PIE = "pie"
    OVER = "over"


def start(options: Options, players: tuple[str, ...]) -> State:
    """An empty board; the first player has white, the second black (SP-01)."""
    if not FEWEST_PLAYERS <= len(players) <= MOST_PLAYERS:
        raise IllegalEvent(
            _(
                "Sandpile Panic is for {fewest_players} to {most_players} players: choose as many.",
                fewest_players=FEWEST_PLAYERS,
                most_players=MOST_PLAYERS,
            )
        )
    if options.board_size is not None and not SMALLEST_BOARD <= options.board_size <= LARGEST_BOARD:
        raise IllegalEvent(
            _(
                "A board has {smallest_board} to {largest_board} spaces along a side: choose one of these.",
                smallest_board=SMALLEST_BOARD,
                largest_board=LARGEST_BOARD,
            )
        )
    if len(players) > 2 and options.opening not in (None, Opening.FAIR_SHARE):
        raise IllegalEvent(_("Three or more players share the first move fairly: choose that opening."))  # SP-14
    if options.piece_supply is not None and not 1 <= options.piece_supply <= MOST_PIECES:
        raise IllegalEvent(
            _("Each player has 1 to {most_pieces} pieces: choose how many, or leave it empty.", most_pieces=MOST_PIECES)
        )
    size = options.board_size or FIRST_TIME_SIZE[len(players)]
    return State(options, players, players, dict(zip(players, COLOURS, strict=False)), sand.empty(size))


# the order of turns


def opening_of(state: State) -> Opening:
    """The opening that is played: the pie rule for two and fair share for more, unless the table chose (SP-11)."""
    if state.options.opening is not None:
        return state.options.opening
    return Opening.PIE if len(state.players) == 2 else Opening.FAIR_SHARE


def seat(turn: int, players: int, opening: Opening) -> int:
    """Whose turn number `turn` is, both counted from 0 (SP-10)."""
    if opening is not Opening.FAIR_SHARE:
        return turn % players
    if players == 2:  # SP-13: an extra turn right after player two's first, which is not SP-14 for two
        return turn % 2 if turn < 2 else (turn + 1) % 2
    place = turn % players  # SP-14: the second round runs backwards, all others forwards
    return players - 1 - place if turn // players == 1 else place


def on_turn(state: State) -> str:
    """The player whose turn it is; with the pie rule black's follows the decision, whoever is black (SP-12)."""
    return state.order[seat(state.turns, len(state.order), opening_of(state))]


def stage(state: State) -> Stage:
    """What is to be done next."""
    if state.ended:
        return Stage.OVER
    if state.mover is not None:
        return Stage.TOPPLING
    if opening_of(state) is Opening.PIE and state.turns == 1 and not state.decided:
        return Stage.PIE
    return Stage.PLACING


def awaiting(state: State) -> frozenset[str]:
    """The one player who may act; nobody when it is over."""
    match stage(state):
        case Stage.OVER:
            return frozenset()
        case Stage.TOPPLING if state.mover is not None:
            return frozenset({state.mover})
        case Stage.PIE:
            return frozenset({state.order[1]})
    return frozenset({on_turn(state)})


# a turn


def apply(state: State, event: Event, ruled: bool = False) -> State:
    """The state after `event`; raises IllegalEvent when the rules forbid it.

    ruled       the table says so: whose turn it is and who owns a pile is not asked, only what pieces can do

    A turn is one piece placed, then topples until no pile is ready (SP-30). No event moves pieces otherwise (SP-24),
    and none passes (SP-15).
    """
    if not isinstance(event, EVENTS):
        raise IllegalEvent(_("Sandpile Panic knows no such event."))
    if event.player not in state.players:
        raise IllegalEvent(_("That player is not in this game: choose one who is."))
    match event:
        case Ruling():
            return replace(state, rulings=(*state.rulings, referee.checked(event, state.players)))
        case TakenOver() | Left():
            return answered(state, event, ruled)
        case Placed():
            return settled(placed(state, event, ruled))
        case Toppled():
            return settled(toppled(state, event, ruled))
        case ToppledRest(player, topples):
            if not topples:
                raise IllegalEvent(_("Nothing was toppled: name each pile and the side where it began."))
            return whole(toppled_each(state, player, topples, ruled), ruled)
        case Turned(player, at, pink, topples):
            return whole(toppled_each(placed(state, Placed(player, at, pink), ruled), player, topples, ruled), ruled)


def placed(state: State, event: Placed, ruled: bool) -> State:
    """One piece lies on a space; the turn is not finished yet."""
    on_board(state, event.at)
    refusal = not_in_hand(state, event.player, event.pink)
    if not ruled:
        refusal = refusal or not_now(state, event.player) or not_there(state, event.player, event.at, event.pink)
    if refusal:
        raise IllegalEvent(refusal)
    board = sand.placed(state.board, event.at, PINK if event.pink else state.colours[event.player])
    earlier = state.highest if state.mover else 0
    return replace(
        state,
        board=board,
        mover=state.mover or event.player,
        pink_used=state.pink_used | {event.player} if event.pink else state.pink_used,
        highest=max(earlier, sand.highest(board)),
        skipped=(),
        changed=(event.at,),
    )


def not_now(state: State, player: str) -> str:
    """Why a player may not place a piece now, "" when it is their moment."""
    if state.ended:
        return _("The game is over: start a new one.")  # SP-37
    if state.mover is not None:
        return _("{board} is ready to topple: topple every such pile first.", board=ready(state.board)[0])  # SP-30
    if stage(state) is Stage.PIE:
        return _("The second player has not answered the opening: take it over or leave it.")  # SP-12
    if player != on_turn(state):
        return _("It is another player's turn: wait for yours.")
    return ""


def not_in_hand(state: State, player: str, pink: bool) -> str:
    """Why a player has no such piece to place, "" when there is one."""
    if pink:
        if state.options.special_piece is Special.NONE:
            return _("No pink piece is in this game: place one of your own.")  # SP-50
        if player in state.pink_used:
            return _("The pink piece is placed once in a game and yours has been: place one of your own.")  # SP-51
        return ""
    supply = state.options.piece_supply
    if supply is not None and pieces_used(state, player) >= supply:
        return _("All {supply} pieces of this colour have been placed: none is left to place.", supply=supply)  # SP-05
    return ""


def pieces_used(state: State, player: str) -> int:
    """How many pieces of a player's colour have been placed."""
    colour = state.colours[player]
    return sum(pile.count(colour) for pile in state.board.values()) + state.spilled.count(colour)


def not_there(state: State, player: str, at: str, pink: bool) -> str:
    """Why a piece may not lie on a space, "" where it may: empty (SP-20), or topped by one's own or pink."""
    if pink and opening_of(state) is Opening.PIE and not state.turns:
        return _("The opening is made with a white piece: the pink one comes later.")  # SP-12
    owner = sand.top(state.board[at])
    if owner in open_tops(state, player):
        return ""
    return _(
        "The top piece of {at} is {colour}: choose an empty space or one topped by {own}.",
        at=at,
        colour=sand.in_words(owner),
        own=sand.in_words(state.colours[player]),
    )  # SP-22


def open_tops(state: State, player: str) -> tuple[str, ...]:
    """What a player may place on: nothing, the own colour (SP-21, SP-23), and pink where it is in the game (SP-52)."""
    pink = () if state.options.special_piece is Special.NONE else (PINK,)
    return ("", state.colours[player], *pink)


def colour_name(state: State, player: str) -> str:
    """The name of a player's colour, as its pieces are drawn."""
    return sand.NAMES.get(state.colours[player], state.colours[player])


def toppled(state: State, event: Toppled, ruled: bool) -> State:
    """One pile toppled, whoever owns it; the player chose which and where it began (SP-30, SP-33, SP-36)."""
    on_board(state, event.at)
    height = len(state.board[event.at])
    if event.start not in sand.SIDES:
        raise IllegalEvent(_("A block begins north, east, south or west: choose a side."))
    if height < sand.BLOCK:
        raise IllegalEvent(
            _(
                "{at} has {height} pieces, a block has {block}: choose a higher pile.",
                at=event.at,
                height=height,
                block=sand.BLOCK,
            )
        )
    if not ruled:
        if state.mover is None:
            raise IllegalEvent(_("Nothing topples before a piece is placed: place one first."))
        if event.player != state.mover:
            raise IllegalEvent(_("Only the player whose turn it is topples: wait for yours."))
        if height < sand.READY:
            raise IllegalEvent(
                _("{at} has {height} pieces and stands: only piles of 5 or more topple.", at=event.at, height=height)
            )  # SP-23
    board, spilled = sand.toppled(state.board, event.at, event.start)
    return replace(
        state,
        board=board,
        spilled=state.spilled + spilled,
        highest=max(state.highest, sand.highest(board)),
        changed=tuple(at for at in (event.at, *sand.beside(event.at)) if at in board),
    )


def toppled_each(state: State, player: str, topples: tuple[Topple, ...], ruled: bool) -> State:
    """Several topples, one after the other."""
    changed = state.changed if topples else ()
    for topple in topples:
        state = toppled(state, Toppled(player, topple.at, topple.start), ruled)
        changed += state.changed
    return replace(state, changed=tuple(dict.fromkeys(changed or state.changed)))


def whole(state: State, ruled: bool) -> State:
    """The turn is finished; raises IllegalEvent while a pile is still ready (SP-30, SP-36)."""
    left = ready(state.board)
    if left and not ruled:
        raise IllegalEvent(_("{left} still has {n} pieces: topple it too.", left=left[0], n=len(state.board[left[0]])))
    return settled(state)


def on_board(state: State, at: str) -> None:
    """Raises IllegalEvent for a space that the board does not have."""
    if at not in state.board:
        raise IllegalEvent(
            _("There is no space {at!r} on this board: they are named like r1c1, row then column.", at=at[:12])
        )


def settled(state: State) -> State:
    """The turn ends once no pile is ready; the game with it if a piece was spilled (SP-37), otherwise the next plays.

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

    Where nobody can, which only a small supply of pieces brings about, the game ends as it stands (our reading).
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
    return any(sand.top(pile) in open_tops(state, player) for pile in state.board.values())


def answered(state: State, event: TakenOver | Left, ruled: bool) -> State:
    """SP-12: player two takes the opening over or leaves it; that is no turn, and the next one is black's."""
    if len(state.players) != 2:
        raise IllegalEvent(_("Only with two players is the opening taken over or left: place a piece."))
    if not ruled and (stage(state) is not Stage.PIE or event.player != state.order[1]):
        raise IllegalEvent(_("Only the second player answers the opening, right after it: go on with the turn."))
    if isinstance(event, Left):
        return replace(state, decided=True)
    white, black = state.order
    letters = state.colours
    return replace(state, decided=True, order=(black, white), colours={black: letters[white], white: letters[black]})


def legal(state: State, player: str) -> tuple[Event, ...]:
    """Events that apply() accepts now from this player, one step each.

    A `Turned` or `ToppledRest` is several of these at once; they are too many to list, and advice.py searches them.
    """
    if player not in awaiting(state):
        return ()
    match stage(state):
        case Stage.PIE:
            return (TakenOver(player), Left(player))
        case Stage.TOPPLING:
            return tuple(Toppled(player, at, side) for at in ready(state.board) for side in Side)
    return tuple(
        Placed(player, at, pink)
        for pink in (False, True)
        if not not_in_hand(state, player, pink)
        for at, pile in state.board.items()
        if sand.top(pile) in open_tops(state, player) and not (pink and not_there(state, player, at, pink))
    )


# scoring


def player_islands(state: State, player: str) -> tuple[Island, ...]:
    """All islands of a player's colour, with the pink spaces in them."""
    return islands.joined(sand.tops(state.board), state.colours[player], state.options.special_piece)


def sizes(state: State, player: str, scoring: Scoring | None = None) -> Sizes:
    """The sizes of the islands that count for a player, the largest first."""
    chosen = scoring or state.options.scoring
    return islands.counted(player_islands(state, player), state.options.special_piece, chosen)


def explain(state: State, player: str, scoring: Scoring | None = None) -> tuple[tuple[str, int, str], ...]:
    """What a player's points are made of, under the game's scoring or another one."""
    chosen, special = scoring or state.options.scoring, state.options.special_piece
    found = player_islands(state, player)
    counts = islands.counted(found, special, chosen)
    lines = island_lines(counts, chosen)
    left_out = len(found) - len(counts)
    if left_out and special is Special.PENALTY:
        told = _n("{n} island with a pink space", "{n} islands with a pink space", left_out)
        lines += ((told, 0, "SP-55"),)
    elif left_out:
        told = _n("{n} island of pink spaces alone, left out", "{n} islands of pink spaces alone, left out", left_out)
        lines += ((told, 0, "SP-54"),)
    return (*lines, *referee.lines(state.rulings, player))


def island_lines(counts: Sizes, scoring: Scoring) -> tuple[tuple[str, int, str], ...]:
    """The islands as lines: the list that is compared, or what those of each size give."""
    if scoring is Scoring.REGULAR:
        sizes_listed = ", ".join(map(str, counts))
        what = _("Largest of the islands {sizes}", sizes=sizes_listed) if counts else _("No island")
        return ((what, islands.points(counts, scoring), "SP-41"),)
    rule, less = ("SP-44", "") if scoring is Scoring.LANDGRAB else ("SP-45", f" − {islands.SMALL}")
    lines = []
    for size in dict.fromkeys(counts):
        times = counts.count(size)
        told = _n(
            "{n} island of {size} ({sum})", "{n} islands of {size} ({sum})", times, size=size, sum=f"{size}²{less}"
        )
        lines.append((told, times * islands.worth(size, scoring), rule))
    return tuple(lines)


def standing(state: State) -> tuple[dict[str, int], dict[str, Sizes]]:
    """Everybody's points and islands, as they are compared."""
    lists = {player: sizes(state, player) for player in state.players}
    points = {
        player: islands.points(lists[player], state.options.scoring) + referee.points_of(state.rulings, player)
        for player in state.players
    }
    return points, lists


def score(state: State) -> dict[str, int]:
    """Everybody's points if the game ended now; in regular scoring the size of the largest island."""
    return standing(state)[0]


def ranking(state: State) -> tuple[tuple[str, ...], ...]:
    """Everybody as they stand, those completely equal together; regular scoring means only the first place (SP-43)."""
    return islands.ranking(*standing(state))


def winners(state: State) -> tuple[str, ...]:
    """Who won; nobody before the end, and nobody after a complete tie, when another game is played (SP-42)."""
    best = islands.winner(ranking(state)) if state.ended else None
    return () if best is None else (best,)


def is_over(state: State) -> bool:
    """Nothing more can happen."""
    return state.ended
