"""`companion watch`: one JSON line for each rest of a recording."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import main
from companion.app.cli.read import read
from companion.app.cli.watch import settled_lines, watch
from companion.errors import CameraUnavailable
from companion.game.readings import BlockReading, Box, DiceReading, DieReading, Kind, SpaceReading, Status, TowerReading
from vision.card.picture import card_picture
from vision.training.drawn.boards import render_board
from vision.training.drawn.cards import lay_card
from vision.training.drawn.loads import render_load
from vision.training.drawn.stacks import render_stacks
from vision.training.drawn.towers import render_four

FIXTURES = Path(__file__).parent / "fixtures" / "dice"


def bright_spots(frame_bgr):
    """A reader that takes every bright spot for a five."""
    grey = cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY)
    _, _, boxes, centres = cv2.connectedComponentsWithStats((grey > 180).astype(np.uint8))
    dice = tuple(
        DieReading(5, cx, cy, float(w), float(h), 0.0, None, 0.99, True, ((5, 0.99),))
        for (_, _, w, h, _), (cx, cy) in zip(boxes[1:], centres[1:], strict=True)
    )
    return DiceReading(64, 48, dice, (Box(1, 2, 3, 4),) if len(dice) == 2 else ())


@pytest.fixture
def folder(tmp_path):
    for name, spots in (("a.png", 1), ("b.png", 0), ("c.png", 2)):
        picture = np.full((48, 64, 3), 90, np.uint8)
        for spot in range(spots):
            picture[10:20, 10 + 25 * spot : 20 + 25 * spot] = 220
        cv2.imwrite(str(tmp_path / name), picture)
    (tmp_path / "broken.jpg").write_bytes(b"no photo")
    return tmp_path


def test_each_photo_with_dice_is_a_line(folder):
    told = []
    lines = list(settled_lines(str(folder), bright_spots, told.append))
    assert [(line["photo"], len(line["dice"]), line["accepted"]) for line in lines] == [
        ("a.png", 1, True),
        ("c.png", 2, False),
    ]
    assert lines[1]["unread"] == [{"cx": 1, "cy": 2, "w": 3, "h": 4}]
    assert lines[0]["rested_s"] <= lines[0]["read_s"] < lines[1]["rested_s"]
    assert len(told) == 1


def test_a_line_has_what_the_help_says(folder):
    line = json.loads(json.dumps(next(settled_lines(str(folder), bright_spots, print))))
    assert list(line) == ["kind", "rested_s", "read_s", "photo", "width", "height", "accepted", "dice"]
    assert list(line["dice"][0]) == [
        "value",
        "cx",
        "cy",
        "w",
        "h",
        "angle_deg",
        "colour",
        "confidence",
        "accepted",
        "alternatives",
    ]


def written_video(path, *rests):
    """A video in which each of these pictures stands still for half a second."""
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (640, 480))
    for picture in rests:
        for _frame in range(15):
            film.write(picture)
    film.release()
    return str(path)


def spots_at(*places):
    picture = np.full((480, 640, 3), 90, np.uint8)
    for x, y in places:
        cv2.rectangle(picture, (x - 20, y - 20), (x + 20, y + 20), (220, 220, 220), cv2.FILLED)
        cv2.circle(picture, (x, y), 4, (190, 190, 190), cv2.FILLED)
    return picture


def test_what_lies_there_when_a_video_begins_is_no_part_of_a_throw_unless_it_moves(tmp_path):
    lay, new = (100, 100), (300, 200)
    film = written_video(
        tmp_path / "throw.avi", spots_at(lay), spots_at(lay, new), spots_at((130, 100), new), spots_at((130, 100))
    )
    lines = list(settled_lines(film, bright_spots, print))
    assert [len(line["dice"]) for line in lines] == [1, 1, 2]
    assert [len(line.get("old", ())) for line in lines] == [0, 1, 0]
    assert [round(die["cx"]) for die in (*lines[1]["dice"], *lines[1]["old"])] == [300, 100]
    assert list(lines[1]["old"][0]) == list(lines[0]["dice"][0])


def test_nothing_falls_between_two_photos(tmp_path):
    """In each the same stack stands, photographed from two places."""
    _name, picture, labels = render_four(np.random.default_rng([71, 1]), "four")
    (tmp_path / "scene.json").write_text(json.dumps(labels))
    (tmp_path / "photos").mkdir()
    for number, aside_px in enumerate((0, 150)):
        aside = cv2.warpAffine(picture, np.array([[1.0, 0, aside_px], [0, 1, 0]]), picture.shape[1::-1])
        cv2.imwrite(str(tmp_path / "photos" / f"{number}.png"), aside)
    lines = settled_lines(str(tmp_path / "photos"), bright_spots, print, tmp_path / "scene.json")
    assert "collapse" not in {line["kind"] for line in lines}


def test_a_stack_that_falls_in_a_video_is_a_line(tmp_path, monkeypatch):
    """It was seen first with two blocks, grew, and lost what it grew by."""
    _name, _picture, labels = render_four(np.random.default_rng([71, 1]), "four")
    (tmp_path / "scene.json").write_text(json.dumps(labels))
    monkeypatch.setattr("vision.watch.lookout.reader_for", lambda table, watching: tall_stack)
    levels = ((2, 30), (5, 30), (2, 15))
    film(tmp_path / "stack.avi", [stack_of(blocks) for blocks, frames in levels for _ in range(frames)])
    lines = settled_lines(
        str(tmp_path / "stack.avi"), lambda frame: DiceReading(320, 240, ()), print, tmp_path / "scene.json"
    )
    ((kind, space, at_s, seen_s),) = (tuple(line.values()) for line in lines)
    assert (kind, space) == ("collapse", 1)
    assert 2.0 <= at_s <= seen_s <= 2.2


def film(path, pictures):
    """A video of 30 pictures a second."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, pictures[0].shape[1::-1])
    for picture in pictures:
        writer.write(picture)
    writer.release()


def stack_of(blocks):
    """The picture of a stack, a bright block for each level."""
    picture = np.full((240, 320, 3), 90, np.uint8)
    picture[200 - 30 * blocks : 200, 140:180] = 200
    return picture


def tall_stack(frame_bgr):
    """A reader that takes all that is bright for one stack."""
    rows = np.flatnonzero(frame_bgr[:, 160, 1] > 150)
    tall = len(rows)
    block = BlockReading(160.0, 200 - tall / 2, 40.0, float(tall), 0.0)
    return TowerReading(320, 240, (SpaceReading(1, Status.STANDING, 0.99, True, (block,)),))


def test_a_stack_that_is_watched_is_a_line_whenever_it_changed_and_one_more_when_it_falls(tmp_path):
    film(tmp_path / "stack.avi", [stack_of(blocks) for blocks, frames in ((5, 30), (2, 30)) for _ in range(frames)])
    lines = list(settled_lines(str(tmp_path / "stack.avi"), tall_stack, print, kind=Kind.TOWER))
    told = [(line["kind"], *(space["status"] for space in line.get("spaces", ()))) for line in lines]
    assert told == [("tower", "standing"), ("collapse",), ("tower", "collapsed")]
    assert lines[1]["at_s"] <= lines[1]["seen_s"] <= lines[2]["read_s"]


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.DICE])
def test_a_line_says_what_the_reader_of_photographs_says(tmp_path, kind):
    picture, scene = pictured(kind)
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    (tmp_path / "photos").mkdir()
    cv2.imwrite(str(tmp_path / "photos" / "a.png"), picture)
    with_scene = ["--scene", str(tmp_path / "scene.json")]
    watched = CliRunner().invoke(watch, [str(tmp_path / "photos"), "--kind", kind.value, *with_scene])
    taken = CliRunner().invoke(read, [kind.value, str(tmp_path / "photos" / "a.png"), *with_scene, "--json"])
    (element,) = json.loads(taken.stdout)
    (line,) = map(json.loads, watched.stdout.splitlines())
    assert list(line)[:4] == ["kind", "rested_s", "read_s", "photo"]
    assert (line["kind"], line["photo"]) == (kind, "a.png")
    assert dict(list(line.items())[4:]) == {name: told for name, told in element.items() if name not in ("image", "ms")}


def pictured(kind):
    """A drawn picture for a reader, and its scene."""
    rng = np.random.default_rng([71, 2])
    if kind is Kind.TOWER:
        return render_four(rng, "four")[1:]
    if kind is Kind.CARD:
        return lay_card(rng, card_picture(8, True, False)), {}
    return {Kind.STACKS: render_stacks, Kind.BOARD: render_board, Kind.LOAD: render_load}[kind](rng)


def test_a_piece_put_on_one_of_its_own_colour_in_a_video_is_a_line(tmp_path):
    """Both pictures are read alike: what changed is told by what the board looked like before."""
    before, labels = render_board(np.random.default_rng([71, 3]))
    pile = next(pile for pile in labels["piles"] if pile["height"] == 1)

    def put(piles):
        under = next(entry for entry in piles if entry["cell"] == pile["cell"])
        under["colours"].append(under["colours"][-1])
        under["spots"].append(under["spots"][-1])

    after, _ = render_board(np.random.default_rng([71, 3]), put)
    film(tmp_path / "board.avi", [before] * 20 + [after] * 20)
    (tmp_path / "scene.json").write_text(json.dumps(labels))
    options = ["--kind", "board", "--scene", str(tmp_path / "scene.json")]
    result = CliRunner().invoke(watch, [str(tmp_path / "board.avi"), *options])
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["rested_s"] < second["rested_s"]
    assert [[cell["colour"] for cell in row] for row in first["cells"]] == [
        [cell["colour"] for cell in row] for row in second["cells"]
    ]


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind not in (Kind.DICE, Kind.CARD)])
def test_a_scene_that_lacks_what_a_reader_needs_is_one_sentence(tmp_path_factory, folder, kind, monkeypatch, capsys):
    scene = tmp_path_factory.mktemp("beside") / "scene.json"
    scene.write_text("{}")
    options = ("--kind", kind.value, "--scene", str(scene))
    monkeypatch.setattr("sys.argv", ["companion", "watch", str(folder), *options])
    with pytest.raises(SystemExit) as left:
        main()
    out, err = capsys.readouterr()
    assert (left.value.code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("The scene has no ")


def test_a_kind_that_nobody_reads_is_wrong_usage(folder):
    assert CliRunner().invoke(watch, [str(folder), "--kind", "play"]).exit_code == 2


@pytest.mark.parametrize("spec", ["0", "virtual"])
def test_a_live_camera_is_no_recording(spec):
    with pytest.raises(CameraUnavailable, match="is no recording"):
        next(settled_lines(spec, bright_spots, print))


def test_the_command_reads_a_folder_with_the_real_reader(tmp_path):
    photo = sorted(FIXTURES.glob("*.jpg"))[0]
    (tmp_path / photo.name).write_bytes(photo.read_bytes())
    (tmp_path / "broken.jpg").write_bytes(b"no photo")
    result = CliRunner().invoke(watch, [str(tmp_path), "--json"])
    assert result.exit_code == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["photo"] for line in lines] == [photo.name]
    assert "broken.jpg" in result.stderr
