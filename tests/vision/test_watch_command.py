"""`companion watch`: one JSON line for each rest of a recording."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli.watch import settled_lines, watch
from companion.errors import CameraUnavailable
from companion.readings import BlockReading, Box, DiceReading, DieReading, SpaceReading, Status, TowerReading
from vision.training.towers import render_four

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
    monkeypatch.setattr("vision.lookout.reader_for", lambda table, watching: tall_stack)
    writer = cv2.VideoWriter(str(tmp_path / "stack.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, (320, 240))
    for blocks, frames in ((2, 30), (5, 30), (2, 15)):
        for _ in range(frames):
            writer.write(stack_of(blocks))
    writer.release()
    lines = settled_lines(
        str(tmp_path / "stack.avi"), lambda frame: DiceReading(320, 240, ()), print, tmp_path / "scene.json"
    )
    ((kind, space, at_s, seen_s),) = (tuple(line.values()) for line in lines)
    assert (kind, space) == ("collapse", 1)
    assert 2.0 <= at_s <= seen_s <= 2.2


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
