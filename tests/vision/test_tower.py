"""The tower reader on scenes drawn here, and what it says when something is missing."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from companion.__main__ import main
from companion.app.cli.read import read
from companion.demo.stacks import TableBlock, TableStack, as_shown, fallen
from companion.demo.things import VirtualTable
from companion.equipment.deck import OWN_DECK
from companion.errors import BadInput
from companion.game.readings import SpaceReading, Status
from vision.scene.file import scene_of
from vision.tower.reader import read_tower
from vision.training.drawn.towers import render_four
from vision.virtual.front import FrontPainter, front_scene

JUDGED_SEED = 303  # of pictures that neither the network nor a threshold has seen


@pytest.fixture(scope="module")
def four() -> tuple[np.ndarray, dict]:
    cv2.setNumThreads(1)
    _name, picture, entry = render_four(np.random.default_rng([JUDGED_SEED, 0]), "four")
    return picture, entry


def test_every_space_is_listed_from_the_left(four):
    picture, entry = four
    reading = read_tower(picture, scene_of(entry))
    assert [space.space for space in reading.spaces] == [1, 2, 3, 4]
    assert (reading.width, reading.height) == (1280, 960)
    assert all(space.match is None for space in reading.spaces)


def test_no_wrong_status_is_accepted(four):
    picture, entry = four
    reading = read_tower(picture, scene_of(entry))
    wrong = [
        space for space, label in zip(reading.spaces, entry["stacks"], strict=True) if space.status != label["status"]
    ]
    assert not any(space.accepted for space in wrong)


def test_only_what_stands_is_compared(four):
    picture, entry = four
    reading = read_tower(picture, scene_of(entry), picture, scene_of(entry))
    assert all((space.match is not None) == (space.status is Status.STANDING) for space in reading.spaces)
    assert reading.spaces[0].match is not None
    assert reading.spaces[0].match.same  # against itself


@pytest.mark.parametrize("levels", [0, 255])
def test_a_picture_of_nothing_says_nothing_of_any_space(four, levels):
    picture, entry = four
    reading = read_tower(np.full_like(picture, levels), scene_of(entry))
    assert not any(space.accepted for space in reading.spaces)


@pytest.mark.parametrize(("turned", "cut"), [("aside", "picture"), ("down", "picture"), ("down", "reference")])
def test_what_the_picture_cuts_off_is_asked_about(four, turned, cut):
    """As a camera that is turned aside or down would see the same table: half of the first space, no top of a stack."""
    picture, entry = four
    scene, camera = scene_of(entry), entry["camera"]
    tops = [[x, y, 15.0 * len(label["blocks"])] for (x, y), label in zip(scene.spaces_mm, entry["stacks"], strict=True)]
    seen = scene.pose(picture).project(np.array(tops))
    aside_px, down_px = (int(seen[0, 0]), 0) if turned == "aside" else (0, int(seen[:, 1].max()) + 5)
    move = np.array([[1, 0, -aside_px], [0, 1, -down_px]], np.float32)
    moved = {**entry, "camera": {**camera, "cx": camera["cx"] - aside_px, "cy": camera["cy"] - down_px}, "markers": []}
    both = [(cv2.warpAffine(picture, move, (1280, 960)), scene_of(moved)), (picture, scene)]
    if cut == "picture":
        reading = read_tower(*both[0], *both[1])
        of_it = reading.spaces[: 1 if turned == "aside" else 4]
        assert not any(space.accepted or (space.match and space.match.accepted) for space in of_it)
    else:
        reading = read_tower(*both[1], *both[0])
        assert not any(space.match.accepted for space in reading.spaces if space.match)


@pytest.mark.parametrize(
    ("without", "named"),
    [
        ({"block_mm": None}, "block_mm_long_mid_short"),
        ({"spaces_mm": ()}, "space_centres_mm"),
        ({"camera": None}, "camera"),
    ],
)
def test_a_scene_that_lacks_something_says_what(four, without, named):
    picture, entry = four
    with pytest.raises(BadInput, match=named):
        read_tower(picture, replace(scene_of(entry), **without))


def test_without_a_scene_it_says_what_is_needed(four):
    with pytest.raises(BadInput, match="block_mm_long_mid_short"):
        read_tower(four[0], None)


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_a_blank_picture_is_never_a_stack_for_sure(four, shade):
    blank = np.full((480, 640, 3), shade, np.uint8)
    reading = read_tower(blank, scene_of(four[1]))
    assert not any(space.status is Status.STANDING and space.accepted for space in reading.spaces)


def test_a_reference_without_a_stack_is_refused(four):
    with pytest.raises(BadInput, match="There's no stack in the reference picture"):
        read_tower(four[0], scene_of(four[1]), np.zeros((960, 1280, 3), np.uint8), scene_of(four[1]))


def test_the_command_prints_the_fields_of_the_design(four, tmp_path, capsys, monkeypatch):
    picture, entry = four
    cv2.imwrite(str(tmp_path / "four.png"), picture)
    (tmp_path / "scene.json").write_text(json.dumps(entry))
    photo, scene = str(tmp_path / "four.png"), str(tmp_path / "scene.json")
    options = ["--scene", scene, "--reference", photo, "--reference-scene", scene]
    command = ["companion", "read", "tower", photo, *options, "--json", "--annotate", str(tmp_path / "drawn")]
    monkeypatch.setattr("sys.argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    (element,) = json.loads(capsys.readouterr().out)
    assert {"image", "width", "height", "ms", "accepted", "spaces"} <= element.keys()
    for space in element["spaces"]:
        assert {"space", "status", "accepted", "blocks"} <= space.keys()
        assert all({"cx", "cy", "w", "h", "angle_deg"} <= block.keys() for block in space["blocks"])
        if space["status"] == "standing":
            assert {"same", "confidence", "accepted", "differences"} <= space["match"].keys()
    assert (tmp_path / "drawn" / "four.jpg").is_file()


def test_the_scene_of_no_reference_is_wrong_usage(tmp_path):
    """It was ignored, and nothing was compared."""
    result = CliRunner().invoke(read, ["tower", "a.jpg", "--reference-scene", str(tmp_path / "scene.json")])
    assert result.exit_code == 2
    assert "name that photo, too" in result.output


# what is rare among the pictures that the network learned from


def spaces_of(*stacks: tuple[TableBlock, ...]) -> list[SpaceReading]:
    """What is read of up to four stacks on the demo's mat."""
    table = VirtualTable(stacks=tuple(map(TableStack, (*stacks, *[()] * (4 - len(stacks))))))
    return list(read_tower(FrontPainter().picture(table, 0), scene_of(front_scene())).spaces[: len(stacks)])


def wall(wide: int, high: int, across: float, away: float, tall: float) -> tuple[TableBlock, ...]:
    """Blocks side by side and on each other."""
    return tuple(
        TableBlock(across, away, tall, (i - (wide - 1) / 2) * across, 0.0, level * tall, 0.0)
        for level in range(high)
        for i in range(wide)
    )


@pytest.mark.parametrize("beside_mm", [-45.0, 0.0, 30.0, 45.0])
def test_a_block_that_lies_beside_the_middle_of_its_space_is_no_empty_space(beside_mm):
    ways = ((45, 30, 15), (30, 45, 15), (15, 30, 45), (45, 15, 30))
    spaces = spaces_of(*((TableBlock(*way, beside_mm, 0.0, 0.0, 0.0),) for way in ways))
    assert [(space.status, len(space.blocks)) for space in spaces] == [(Status.STANDING, 1)] * 4


def test_low_and_wide_stacks_stand_or_are_asked():
    spaces = spaces_of(wall(2, 1, 45, 30, 15), wall(3, 1, 30, 15, 45), wall(2, 2, 45, 30, 15), wall(1, 3, 45, 30, 15))
    assert all(space.status is Status.STANDING or not space.accepted for space in spaces)
    assert [space.status for space in spaces].count(Status.STANDING) >= 3


@pytest.mark.parametrize("number", [20, 21, 32, 39])
def test_a_card_that_is_half_built_stands_or_is_asked(number):
    blocks = as_shown(OWN_DECK.cards[number])
    spaces = spaces_of(*(blocks[:count] for count in range(1, min(5, len(blocks)))))
    assert all(space.status is Status.STANDING or not space.accepted for space in spaces)
    assert [space.status for space in spaces].count(Status.STANDING) >= len(spaces) - 1


def test_a_heap_is_no_stack():
    heaps = [fallen(TableStack(as_shown(OWN_DECK.cards[number]))).blocks for number in (7, 20, 21, 32)]
    assert not any(space.status is Status.STANDING and space.accepted for space in spaces_of(*heaps))
