"""Games that an earlier version kept: they open, and end as they ended there (`tests/old_games/README.md`)."""

import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.__main__ import cli
from companion.house.host import Host
from companion.journal import codec
from companion.journal.store import Journal
from companion.shelf import GAMES
from tests.played import FILES, read

FOLDER = Path(__file__).parent / "old_games"
OLD = {old["file"]: old for old in map(json.loads, (FOLDER / "replays.jsonl").read_text(encoding="utf-8").splitlines())}


PLAYED = {f"{path.parent.name}/{path.stem}": path for path in FILES}  # those written since then have no old game


def test_every_old_game_is_kept_with_its_playthrough():
    assert {f"{path.parent.name}/{path.stem}" for path in FOLDER.glob("*/*.jsonl")} == OLD.keys()
    assert OLD.keys() <= PLAYED.keys()
    assert {name.partition("/")[0] for name in OLD} <= GAMES.keys()


LATER = {"resting": [], "gave_up": {}}  # facts of a state that came after the export: in an old game nobody did either


def without_later(now, then):
    """A part of a state without those facts, which must be empty in it."""
    if isinstance(now, dict) and isinstance(then, dict):
        added = {key: value for key, value in now.items() if key not in then and key in LATER}
        assert added == {key: LATER[key] for key in added}
        return {key: without_later(value, then.get(key)) for key, value in now.items() if key not in added}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [without_later(*pair) for pair in zip(now, then, strict=True)]
    return now


def as_then(name, state):
    """A state without the options that came after the export; in an old game they have their defaults."""
    state = without_later(state, OLD[name]["replay"]["state"])
    game = GAMES[name.partition("/")[0]]
    then, default = OLD[name]["replay"]["state"]["options"], codec.options_to_json(game.rules.options())
    later = {option: value for option, value in state["options"].items() if option not in then}
    assert later == {option: default[option] for option in later}
    return {**state, "options": {option: value for option, value in state["options"].items() if option in then}}


@pytest.mark.parametrize("name", OLD)
def test_an_old_export_replays_to_the_same_state_and_hashes(name):
    told = CliRunner().invoke(cli, ["replay", str(FOLDER / f"{name}.jsonl"), "--json"])
    assert told.exit_code == 0, told.output
    now = json.loads(told.stdout)
    assert {**now, "state": as_then(name, now["state"])} == OLD[name]["replay"]


@pytest.mark.parametrize("name", OLD)
def test_an_old_export_ends_in_the_points_worked_out_by_hand(name):
    played = read(PLAYED[name])
    points = {played.players[0]: -1}  # the ruling
    by_hand = [score + points.get(player, 0) for player, score in played.steps[-1].score.items()]
    if played.options.get("floor_at_zero"):  # PS-54
        by_hand = [max(0, score) for score in by_hand]
    header = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[0]
    told = OLD[name]["replay"]["score"]
    assert [told[player] for player in json.loads(header)["players"]] == by_hand


@pytest.fixture(scope="module")
def old_house(tmp_path_factory):
    path = tmp_path_factory.mktemp("old") / "journal.sqlite3"
    path.write_bytes(lzma.decompress((FOLDER / "journal.sqlite3.xz").read_bytes()))
    host = Host(Journal(path))
    yield host
    host.close()
    host.journal.close()


@pytest.mark.parametrize("name", OLD)
def test_an_old_journal_opens_and_exports_the_same_game(old_house, name):
    replay = OLD[name]["replay"]
    table = old_house.table(replay["session"])
    assert table.fingerprint == OLD[name]["newest_hash"]
    assert as_then(name, codec.state_to_json(table.state)) == replay["state"]
    assert old_house.transfer.export(replay["session"]) == (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
