"""A game says by which rules it was played: a changed rule changes the digest of its games and of no others."""

import gc
import json
import shutil
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from companion.journal.export import read_game_file, session_of
from companion.journal.record import header_json
from companion.journal.rules_digest import HOME, digest_of, rules_digest, rules_files
from companion.journal.session import canonical_json
from companion.shelf import GAMES


@pytest.fixture(autouse=True)
def no_stand_ins():
    """Another test may have played a stand-in for a game."""
    rules_digest.cache_clear()


@pytest.fixture
def home(tmp_path):
    """A copy of what the rules stand in, to be changed."""
    for room in ("games", "equipment"):
        shutil.copytree(HOME / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def changed_by(home, name):
    """The names of the games whose digest changes with this file."""
    path = home / name
    path.write_bytes(path.read_bytes() + b"\n# another rule\n")
    return {game.rules.name for game in GAMES.values() if digest_of(home, game) != rules_digest(game.rules.name)}


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("games/sack_stackers/coal.py", {"sack_stackers"}),
        ("games/sandpile_panic/scoring.py", {"sandpile_panic"}),  # its `rules` do not import it
        ("games/stack_dice/scoring.py", {"stack_dice"}),
        ("games/maxstax/play.py", {"speedstax", "samestax", "swapstax"}),
        ("games/rulings.py", set(GAMES)),
        ("equipment/trucks.toml", {"pack_and_stack"}),
        ("equipment/deck.toml", {"speedstax", "samestax", "swapstax"}),
        ("games/sack_stackers/pages.py", set()),
        ("games/sandpile_panic/advice.py", set()),
        ("games/pack_and_stack/camera.py", set()),
        ("equipment/mats.toml", set()),
    ],
)
def test_a_file_of_the_rules_counts_for_the_games_that_use_it(home, name, games):
    assert changed_by(home, name) == games


def test_a_checkout_with_other_line_ends_has_the_same_rules(home):
    for path in rules_files(home, GAMES["stack_dice"]).values():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert digest_of(home, GAMES["stack_dice"]) == rules_digest("stack_dice")


def test_a_new_game_carries_the_digest_of_its_own_rules(host, sack):
    header = json.loads(host.journal.header(sack.session.id))
    assert header["rules"] == rules_digest("sack_stackers")
    exported = read_game_file(host.transfer.export(sack.session.id))
    assert exported.session == sack.session
    assert exported.broken_at is None


def test_the_header_of_an_older_game_stays_as_it_is(host, sack):
    """What its chain begins with must not change, or no hash of it would hold."""
    older = json.loads(host.journal.header(sack.session.id))
    del older["rules"]
    text = canonical_json(older)
    assert session_of(text).rules == ""
    assert canonical_json(header_json(session_of(text))) == text


@pytest.fixture
def crowded():
    """Another thread comes in whenever memory is tidied, which is often."""

    def let_others(*_):
        time.sleep(0)

    usual = gc.get_threshold()
    gc.callbacks.append(let_others)
    gc.set_threshold(200)
    yield
    gc.set_threshold(*usual)
    gc.callbacks.remove(let_others)


def test_all_games_may_be_asked_about_at_once(crowded):
    """As a hub does whose tables send games at one moment."""
    alone = {game: digest_of(HOME, GAMES[game]) for game in GAMES}
    with ThreadPoolExecutor(len(GAMES)) as pool:
        rules_digest.cache_clear()
        assert dict(zip(GAMES, pool.map(rules_digest, GAMES), strict=True)) == alone


def test_a_game_may_be_asked_about_while_a_failure_is_logged(crowded):
    """Python parses the lines of a traceback, to mark in them where it failed."""
    is_over, has_begun = threading.Event(), threading.Event()

    def log():
        while not is_over.is_set():
            try:
                _ = 1 / 0 + 2
            except ZeroDivisionError:
                with suppress(SystemError):  # The line of the log may be the one that Python 3.11 cannot parse.
                    traceback.format_exc()
            has_begun.set()

    thread = threading.Thread(target=log)
    thread.start()
    has_begun.wait()
    try:
        for game in GAMES:
            assert digest_of(HOME, GAMES[game]) == rules_digest(game)
    finally:
        is_over.set()
        thread.join()
