"""How to play Sandpile Panic, for newcomers."""

from companion.game.how_to import Hint, HowTo, Topic
from companion.game.widgets import Cell, Variant, Variants
from companion.games.sandpile_panic import board as boards
from companion.games.sandpile_panic import islands
from companion.games.sandpile_panic.board import BLOCK, READY, Board, Side
from companion.games.sandpile_panic.drawing import pile_cell
from companion.games.sandpile_panic.events import Event
from companion.games.sandpile_panic.islands import SMALL, Scoring, Special
from companion.games.sandpile_panic.options import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    Opening,
    Options,
    board_size,
    piece_letters,
)
from companion.games.sandpile_panic.state import Stage, State, stage
from companion.words import _, listed, number

MIDDLE = "r2c2"
# These boards are drawn.
BEFORE = {**boards.empty(3), MIDDLE: "WBWWW", "r2c3": "B"}
SCORED = {**boards.empty(4), **dict.fromkeys(("r1c1", "r1c2", "r2c2", "r4c3"), "W"), "r1c3": "B", "r2c3": "B"}
WHITE, BLACK = "W", "B"


def how_to(options: Options) -> HowTo:
    """How to play Sandpile Panic."""
    return HowTo(_goal(options), _turn(options), _scoring(options), _set_up(options), _end(options))


def hint(state: State) -> Hint | None:
    """What the buttons of this phase do."""
    sentences = {
        Stage.PLACING: _("Tap a space. The big button then puts your piece there."),
        Stage.TOPPLING: _("Tap the side where the pile begins to fall."),
        Stage.PIE: _("Choose once: take the first piece, or keep your colour."),
    }
    now = stage(state)
    return Hint(now, sentences[now]) if now in sentences else None


def _goal(options: Options) -> Topic:
    return Topic(
        (
            _("Pieces of one colour side by side make an island.")
            if options.scoring is not Scoring.REGULAR
            else _("Pieces of one colour side by side make an island. Own the largest one."),  # SP-41
            _("Tall piles topple like sand. When a piece falls off the board, the islands count."),  # SP-37
        ),
        (Variants(_("A board at the end"), (Variant("", _rows(_own(SCORED, options))),)),),
    )


def _turn(options: Options) -> Topic:
    before = _own(BEFORE, options)
    after, _spilled = boards.toppled(before, MIDDLE, Side.NORTH)
    sentences = [
        _("Put one piece on an empty space, or on a pile with your colour on top. You can't pass."),  # SP-15 … SP-22
        _("A pile of {ready} or more must topple, whoever owns it.", ready=READY),  # SP-30
        # SP-31 … SP-33
        _(
            "Take its top {block} pieces off. Lay one on each side, clockwise, the lowest piece first. You choose "
            "where to begin.",
            block=BLOCK,
        ),
        _("Pieces land on top of what is there, so a space can change its owner."),  # SP-35
        _("Go on until no pile has {ready} pieces. You choose which one is next.", ready=READY),  # SP-36
    ]
    if options.special_piece is not Special.NONE:
        sentences.insert(1, _("Once a game, play your pink piece in place of your own. Anyone may play on pink."))
    drawn = Variants[Event](
        _("A pile topples"),
        (Variant(_("before"), _rows(before)), Variant(_("after, begun at the top"), _rows(after))),
    )
    return Topic(tuple(sentences), (drawn,))


def _own(board: Board, options: Options) -> Board:
    """A drawn board with the table's own first two colours."""
    own = str.maketrans(dict(zip(WHITE + BLACK, piece_letters(options), strict=False)))
    return {at: pile.translate(own) for at, pile in board.items()}


def _rows(board: Board) -> tuple[tuple[Cell[Event], ...], ...]:
    return tuple(tuple(pile_cell(board[at], "") for at in line) for line in boards.rows(board))


def _scoring(options: Options) -> Topic:
    ways = {
        Scoring.REGULAR: _(
            "The largest island wins. If two are equal, compare the second largest, and so on."
        ),  # SP-41
        Scoring.LANDGRAB: _("An island scores its size times its size. Add up all your islands."),  # SP-44
        Scoring.NO_SMALL_ISLANDS: _(
            "An island scores its size times its size, less {small}. Add up all your islands.", small=SMALL
        ),  # SP-45
    }
    pink = {
        Special.WILDCARD: _("A pink space counts for every player whose island it touches."),  # SP-54
        Special.PENALTY: _("An island with a pink space scores nothing."),  # SP-55
    }
    sentences = [
        _("Look from above: only the top piece of a pile counts."),  # SP-40
        _("Spaces of one colour that share a side are one island. Corners don't join."),  # SP-40
        ways[options.scoring],
    ]
    if options.special_piece in pink:
        sentences.append(pink[options.special_piece])
    board = _own(SCORED, options)
    lines = tuple(_island_line(boards.tops(board), letter, options.scoring) for letter in piece_letters(options)[:2])
    return Topic(tuple(sentences), (Variants(_("Count the islands"), (Variant("", _rows(board), lines),)),))


def _island_line(tops: boards.Tops, colour: str, scoring: Scoring) -> str:
    """The islands of a colour, and what they bring: "white: 3 and 1 make 10"."""
    sizes = islands.counted(islands.joined(tops, colour, Special.NONE), Special.NONE, scoring)
    islands_words, name = listed(map(str, sizes)), boards.in_words(colour)
    if scoring is Scoring.REGULAR:
        return _("{colour}: islands of {sizes}", colour=name, sizes=islands_words)
    points = number(islands.points(sizes, scoring))
    return _("{colour}: islands of {sizes}, {points} points", colour=name, sizes=islands_words, points=points)


def _set_up(options: Options) -> tuple[str, ...]:
    first, second = map(boards.in_words, piece_letters(options)[:2])
    steps = [
        _sizes(options),
        _("Everyone takes the pieces of one colour. The first player takes {colour}.", colour=first),  # SP-01, SP-10
    ]
    if options.special_piece is not Special.NONE:
        steps.append(_("Everyone also takes one pink piece."))  # SP-50
    if options.opening in (None, Opening.PIE):  # SP-12
        steps.append(
            _(
                "Two players: {first} puts down the first piece. Then the other player may switch sides and own "
                "it, or stay {second}. Either way, {second} goes next.",
                first=first,
                second=second,
            )
        )
    elif options.opening is Opening.FAIR_SHARE:  # SP-13
        steps.append(_("Two players: the second player has two turns after the first one. Then you take turns."))
    if options.opening in (None, Opening.FAIR_SHARE):  # SP-14
        steps.append(
            _("Three or more players: go around once, then once backwards. After that, always go around forwards.")
        )
    return tuple(steps)


def _sizes(options: Options) -> str:
    """The step that says how large the board is (SP-03)."""
    if options.board_size is not None:
        return _("Take a board of {size} × {size} spaces.", size=options.board_size)
    players: dict[int, list[int]] = {}
    for count in range(FEWEST_PLAYERS, MOST_PLAYERS + 1):
        players.setdefault(board_size(options, count), []).append(count)
    sizes = (
        _("{size} × {size} for {players} players", size=size, players=listed(map(str, counts)))
        for size, counts in players.items()
    )
    return _("Take a square board: {sizes}.", sizes="; ".join(sizes))


def _end(options: Options) -> tuple[str, ...]:
    return (
        _("When a piece falls off the board, finish toppling. Then the game is over."),  # SP-37
        _("If the best players are equal in everything, nobody wins: play again."),  # SP-42
    )
