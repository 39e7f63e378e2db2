"""What is asked of a long game takes time in proportion to its length, and no more memory than a piece of the answer.

The lengths are such that a test can wait for them; `companion bench rules` has them up to 100,000 entries.
"""

import time
import tracemalloc

import pytest

from companion.app.bench.rules import IN_PIECES, PAGES, random_game, rows
from companion.errors import NotFound
from companion.house.host import Host
from companion.journal.events import Origin
from companion.journal.session import Player, Session
from companion.journal.store import ROWS_AT_ONCE, Journal
from companion.shelf import GAMES
from web.app import create_app

SHORT, LONG = 1_000, 10_000  # entries
MOST_TIMES = 2.5 * LONG / SHORT  # quadratic would be ten times as much again
PIECE_BYTES = 100_000  # of any one piece
TRIES = 2
NAME = "game-of-{}"


@pytest.fixture(scope="module")
def one():
    return random_game(GAMES["sack_stackers"], 1, ("Ann", "Bob", "Cleo"))


def game_of(host, one, length):
    """The id of a game of that many entries in the journal."""
    host.clock.offset_us += 10**12  # every event of the game lies in the past
    game = GAMES["sack_stackers"]
    session = Session(NAME.format(length), game.rules.name, game.rules.options(), one.states[0].players, 0)
    people = tuple(Player(player, player) for player in session.players)
    host.journal.import_session(session, people, rows(game, session, one.events[: len(one.events) // 2], length))
    return session.id


@pytest.fixture(scope="module")
def client(one, tmp_path_factory):
    """The pages of a house with both games, which are only read."""
    house = Host(Journal(tmp_path_factory.mktemp("long") / "journal.sqlite3"))
    for length in (SHORT, LONG):
        game_of(house, one, length)
    yield create_app(house).test_client()
    house.close()


def pieces_of(client, address):
    """The pieces of an answer, which are not kept."""
    answer = client.get(address)
    assert answer.status_code == 200
    yield from answer.iter_encoded()


def taken_s(client, address):
    """Processor time of the fastest of a few looks."""

    def once():
        began_s = time.process_time()
        for _ in pieces_of(client, address):
            pass
        return time.process_time() - began_s

    return min(once() for _ in range(TRIES))


def test_every_page_of_a_game_takes_time_in_proportion_to_its_length(client):
    times = {}
    for length in (SHORT, LONG):
        name = NAME.format(length)
        client.get(f"/s/{name}/result")  # the game is folded and worded once
        times[length] = {page: taken_s(client, address.format(name)) for page, address in PAGES.items()}
    print(times)
    for page in PAGES:
        assert times[LONG][page] < MOST_TIMES * max(times[SHORT][page], 0.001), page


@pytest.mark.parametrize("page", IN_PIECES)
def test_long_answers_are_made_in_pieces_and_never_kept_whole(client, page):
    peaks = []
    for length in (SHORT, LONG):
        address = PAGES[page].format(NAME.format(length))
        whole = sum(map(len, pieces_of(client, address)))  # what was folded and worded for it stays, and is not counted
        tracemalloc.start()
        sizes = [len(piece) for piece in pieces_of(client, address)]
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(sizes) == whole
        assert max(sizes) < PIECE_BYTES
    print(page, whole, peaks)
    assert whole > 4 * PIECE_BYTES  # of the long one
    # the list of its lines, of the numbers of the lines' own: eight bytes for each
    assert peaks[1] - peaks[0] < 40 * (LONG - SHORT)


@pytest.mark.parametrize("page", sorted({*PAGES} - {*IN_PIECES}))
def test_a_page_of_a_game_is_no_longer_for_a_longer_game(client, page):
    sizes = [len(client.get(PAGES[page].format(NAME.format(length))).data) for length in (SHORT, LONG)]
    assert sizes[1] < 1.2 * sizes[0]


def test_the_pieces_of_an_export_are_the_entries_of_one_moment(host, one):
    name = game_of(host, one, SHORT)
    text = host.transfer.export(name)
    pieces = host.transfer.export_in_pieces(name)
    begun = next(pieces) + next(pieces)
    table = host.table(name)
    table.undo(Origin("meanwhile"))
    assert begun + "".join(pieces) == text
    assert len(text.splitlines()) == SHORT + 2


def test_a_game_that_is_deleted_while_it_is_exported_gives_no_half_game(host, one):
    name = game_of(host, one, 3 * ROWS_AT_ONCE)
    pieces = host.transfer.export_in_pieces(name)
    next(pieces), next(pieces)
    with host.journal.changing() as db:
        db.execute("DELETE FROM entries WHERE session = ?", (name,))
    with pytest.raises(NotFound, match="This game was deleted"):
        "".join(pieces)
