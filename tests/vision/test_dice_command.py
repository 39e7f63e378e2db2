"""`companion read dice`: photographs in, JSON or sentences out, never a traceback."""

import json
import re
import shutil
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.__main__ import main
from companion.app.bench import dice as bench_dice
from companion.app.bench.command import BENCHES, WITH_LABELS, usual_out
from companion.app.cli.read import load_in_words, stacks_in_words
from companion.errors import BadInput
from companion.house.fairness import wilson
from tests.benches.__main__ import BENCHES as OF_A_CHECKOUT
from tests.benches.__main__ import NEED_NO_LABELS
from tests.benches.__main__ import bench as bench_of_a_checkout
from tests.benches.labels import read_images

PHOTO = str(Path(__file__).parent / "fixtures" / "dice" / "scene_01.jpg")


@pytest.fixture
def companion(monkeypatch, capsys):
    """Runs the command and gives exit status, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["companion", *arguments])
        status = 0
        try:
            if arguments[0] == "bench" and arguments[1:2] and arguments[1] in OF_A_CHECKOUT:
                bench_of_a_checkout(arguments[1:])
            else:
                main()
        except SystemExit as end:
            status = end.code or 0
        if isinstance(status, str):  # Python prints such a status, and ends with 1
            print(status, file=sys.stderr)
            status = 1
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_json_has_one_element_a_photo_in_order(companion):
    status, out, _ = companion("read", "dice", PHOTO, PHOTO.replace("_01", "_14"), "--json")
    first, second = json.loads(out)
    assert status == 0
    assert (first["image"], first["width"], first["height"]) == (PHOTO, 640, 512)
    assert set(first["dice"][0]) == {
        "value", "cx", "cy", "w", "h", "angle_deg", "colour", "confidence", "accepted", "alternatives",
    }  # fmt: skip
    assert {"ms", "accepted", "unread"} <= set(second)


def test_an_unreadable_photo_is_reported_after_all_others_were_read(companion, tmp_path):
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(Path(PHOTO).read_bytes()[:300])
    status, out, err = companion("read", "dice", str(broken), PHOTO, "--json")
    first, second = json.loads(out)
    assert status == 1
    assert set(first) == {"image", "error"}
    assert second["dice"]
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [b"", b"not a picture", b"\xff\xd8\xff\xc0\x00", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_picture_is_one_sentence(companion, tmp_path, content):
    path = tmp_path / "x.png"
    path.write_bytes(content)
    status, out, err = companion("read", "dice", str(path))
    assert (status, out) == (1, "")
    assert err.count("\n") == 1


def test_a_black_picture_is_not_said_to_hold_no_dice(companion, tmp_path):
    cv2.imwrite(str(tmp_path / "black.png"), np.zeros((480, 640, 3), np.uint8))
    bare = np.random.default_rng(1).normal(np.linspace(110, 140, 640)[None, :, None], 2, (480, 640, 3))
    cv2.imwrite(str(tmp_path / "bare.png"), bare.astype(np.uint8))
    status, out, _ = companion("read", "dice", str(tmp_path / "black.png"), str(tmp_path / "bare.png"))
    black, bare_told = out.splitlines()
    assert status == 0
    assert black.endswith("black.png: nothing could be read  (1 unread)")
    assert bare_told.endswith("bare.png: no dice")


def test_a_huge_picture_is_refused_before_it_is_decoded(companion, tmp_path):
    header = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (60_000).to_bytes(4, "big") * 2
    path = tmp_path / "huge.png"
    path.write_bytes(header + bytes(20))
    status, _, err = companion("read", "dice", str(path))
    assert status == 1
    assert "60000 × 60000" in err


@pytest.mark.parametrize("shape", [(40, 60), (40, 60, 4), (1, 1, 3)])
@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_grey_deep_transparent_and_tiny_pictures_are_read(companion, tmp_path, shape, depth):
    path = tmp_path / "x.png"
    cv2.imwrite(str(path), np.full(shape, 100, depth))
    status, out, _ = companion("read", "dice", str(path), "--json")
    assert status == 0
    assert json.loads(out)[0]["dice"] == []


def test_positions_refer_to_the_picture_after_its_exif_orientation(companion, tmp_path):
    turned = tmp_path / "turned.jpg"
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    plain = Path(PHOTO).read_bytes()
    turned.write_bytes(plain[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + plain[2:])
    _, out, _ = companion("read", "dice", str(turned), "--json")
    assert (json.loads(out)[0]["width"], json.loads(out)[0]["height"]) == (512, 640)


def test_without_json_one_line_a_photo(companion):
    status, out, _ = companion("read", "dice", PHOTO)
    assert status == 0
    assert out.startswith(f"{PHOTO}: ")
    assert out.count("\n") == 1


def test_annotate_saves_a_picture(companion, tmp_path):
    companion("read", "dice", PHOTO, "--annotate", str(tmp_path / "drawn"))
    assert cv2.imread(str(tmp_path / "drawn" / "scene_01.jpg")).shape == (512, 640, 3)


def test_annotated_photos_never_take_a_photos_place(companion, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        shutil.copy(PHOTO, tmp_path / folder / "photo.jpg")
    photos = [str(tmp_path / folder / "photo.jpg") for folder in ("one", "two")]
    before = Path(photos[0]).read_bytes()
    status, _, err = companion("read", "dice", *photos, "--annotate", str(tmp_path / "one"))
    assert (status, Path(photos[0]).read_bytes()) == (1, before)
    assert "name another folder" in err
    status, _, err = companion(
        "read", "card", photos[0], "--deck", str(tmp_path / "two"), "--annotate", str(tmp_path / "two")
    )
    assert (status, Path(photos[1]).read_bytes()) == (1, before)
    assert "name another folder" in err
    assert companion("read", "dice", *photos, "--annotate", str(tmp_path / "drawn"))[0] == 0
    assert sorted(path.name for path in (tmp_path / "drawn").iterdir()) == ["photo-2.jpg", "photo.jpg"]


def test_what_is_open_is_said_in_words_too():
    die, unsure = {"value": 3, "colour": "red", "accepted": True}, {"value": 5, "colour": "red", "accepted": False}
    stacks = [{"top": die, "height": 2, "height_accepted": True}, {"top": unsure, "height": 1, "height_accepted": True}]
    said = stacks_in_words({"image": "a.jpg", "stacks": stacks, "unread": [{}]})
    assert said == "a.jpg: red 3 on 2, red 5? on 1  (1 to ask, 1 unread)"
    squares = [[{"filled": True, "accepted": False}, {"filled": True, "accepted": True}]]
    said = load_in_words(
        {"image": "a.jpg", "outside": {2: 1}, "outside_accepted": True, "trucks": [{"cells": squares}]}
    )
    assert said == "a.jpg: 1 of 2; truck 1: 2 squares covered (1 to ask)"


@pytest.mark.parametrize(
    "scene", ["", "[]", '{"colour_rgb": 3}', '{"colour_rgb": {"red": [1, 2]}}', '{"colour_rgb": {"red": ["a", 2, 3]}}']
)
def test_a_broken_scene_is_one_sentence(companion, tmp_path, scene):
    path = tmp_path / "scene.json"
    path.write_text(scene)
    status, out, err = companion("read", "dice", PHOTO, "--scene", str(path))
    assert (status, out) == (1, "")
    assert err.count("\n") == 1


def test_a_missing_scene_is_one_sentence(companion, tmp_path):
    status, _, err = companion("read", "dice", PHOTO, "--scene", str(tmp_path / "none.json"))
    assert status == 1
    assert err.count("\n") == 1


@pytest.mark.parametrize("wrong", [("read", "dice"), ("read", "moon", PHOTO), ("read", "dice", PHOTO, "--loud")])
def test_wrong_usage_is_exit_2(companion, wrong):
    assert companion(*wrong)[0] == 2


def test_the_bench_runs_on_our_own_scenes(companion, tmp_path):
    labels = Path(PHOTO).parent
    status, out, _ = companion("bench", "dice", "--labels", str(labels), "--out", str(tmp_path), "--json")
    rows = json.loads(out)["benches"]["dice"]
    assert status == 0
    assert {"photos entirely right", "peak memory of this process"} <= {row["name"] for row in rows}
    right = next(row for row in rows if (row["name"], row["group"]) == ("dice found with the right value", "all"))
    assert right["wanted"] == "at least 99.5 %"
    assert right["met"] is (right["count"] >= 0.995 * right["total"])


def test_bench_scenes_judges_our_own_scenes_and_says_so(companion, tmp_path, monkeypatch):
    monkeypatch.setattr(bench_dice, "PHOTOGRAPHS", tmp_path)  # they are not looked at
    status, out, _ = companion("bench", "scenes", "--out", str(tmp_path / "out"), "--json")
    (first, *rows) = json.loads(out)["benches"]["scenes"]
    assert (status, first["value"]) == (0, len(json.loads((Path(PHOTO).parent / "labels.json").read_text())))
    assert "says nothing about photographs" in first["group"]
    assert "photos entirely right" in {row["name"] for row in rows}


def test_a_bench_without_labels_is_one_sentence(companion, tmp_path):
    status, _, err = companion("bench", "dice", "--labels", str(tmp_path))
    assert status == 1
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["dice", "board", "load", "tower", "mat", "stacks"])
@pytest.mark.parametrize(
    "labels",
    [
        "[]",
        '{"photos": 5}',
        "null",
        "{",
        '[{"image": 1}]',
        '[{"image": "a.jpg"}]',
        '{"images": [5]}',
        '[{"image": "a.jpg", "dice": [5]}]',
        '{"images": []}',
        "\udcff",
    ],
)
def test_labels_of_another_kind_are_one_sentence(companion, tmp_path, name, labels):
    (tmp_path / "labels.json").write_text(labels, encoding="utf-8", errors="surrogateescape")
    status, out, err = companion("bench", name, "--labels", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (status, out) == (1, "")
    assert err.startswith(f"The labels of {tmp_path} ")
    assert err.count("\n") == 1


CAMERA = {"width": 8, "height": 8, "fx": 8, "fy": 8, "cx": 4, "cy": 4}
BOARD = {"file": "a.jpg", "camera": CAMERA, "board": {"n": 1}, "piece": {}, "top_colours": [[None]], "heights": [[0]]}
TRUCK = {"rows": 1, "columns": 1, "loading_area_row_col": [[1]], "height_map_row_col": [[0]]}
LOAD = {"file": "a.jpg", "camera": CAMERA, "unit_mm": 14, "trucks": [TRUCK], "beside_counts_length_colour": {}}
SPACE = {"space": 1, "status": "standing", "blocks_count": 3}
TOWER = {"file": "a.jpg", "camera": CAMERA, "block_mm_long_mid_short": [3, 2, 1], "space_centres_mm": [[0, 0]]}
DIE = {"value": 5, "cx": 1, "cy": 1, "size_px": 9}
STACK = {
    "height": 1,
    "top_value": 5,
    "top_colour": "red",
    "top_centre_px": [4, 4],
    "top_face_px": [[2, 2], [6, 2], [6, 6]],
    "top_visible": 1.0,
}
STACKS = {"file": "a.jpg", "camera": CAMERA, "die_size_mm": 16, "stacks": [STACK]}
PLACED = {"type": "place", "cell": [0, 0], "colour": "red"}
MOVE = {"before": "a.jpg", "after": "a.jpg", "move": PLACED}


def without(entry, key):
    return {name: value for name, value in entry.items() if name != key}


@pytest.mark.parametrize(
    ("name", "missing", "labels"),
    [
        *(("dice", key, [{"image": "a.jpg", "dice": [without(DIE, key)]}]) for key in DIE),
        *(("board", key, {"images": [without(BOARD, key)]}) for key in BOARD if key != "file"),
        *(("load", key, {"images": [without(LOAD, key)]}) for key in LOAD if key != "file"),
        *(("load", key, {"images": [{**LOAD, "trucks": [without(TRUCK, key)]}]}) for key in TRUCK),
        *(("tower", key, {"images": [{**TOWER, "stacks": [without(SPACE, key)]}]}) for key in SPACE),
        ("tower", "stacks", {"images": [TOWER]}),
        *(("stacks", key, {"images": [without(STACKS, key)]}) for key in STACKS if key != "file"),
        *(("stacks", key, {"images": [{**STACKS, "stacks": [without(STACK, key)]}]}) for key in STACK),
        ("mat", "R_world_to_cam", {"images": [{"file": "a.jpg", "camera": CAMERA}]}),
        *(("board", key, {"images": [BOARD], "moves": [{**MOVE, "move": without(PLACED, key)}]}) for key in PLACED),
        *(("board", "b.jpg", {"images": [BOARD], "moves": [{**MOVE, key: "b.jpg"}]}) for key in ("before", "after")),
        ("board", "1 rows of 1", {"images": [{**BOARD, "heights": []}]}),
    ],
)
def test_incomplete_labels_are_one_sentence_that_says_what_is_missing(companion, tmp_path, name, missing, labels):
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    shutil.copy(PHOTO, tmp_path / "a.jpg")
    status, out, err = companion("bench", name, "--labels", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"The labels of {tmp_path} ")
    assert missing in err


@pytest.mark.parametrize(
    ("name", "wrong", "label"),
    [
        ("board", "camera", {**BOARD, "camera": {}}),
        ("board", "board", BOARD),
        ("load", "camera", {**LOAD, "camera": {}}),
        ("tower", "camera", {**TOWER, "stacks": [SPACE], "camera": {}}),
        ("stacks", "camera", {**STACKS, "camera": {}}),
        ("mat", "camera", {"file": "a.jpg", "camera": {"R_world_to_cam": [], "t_mm": []}}),
    ],
)
def test_a_label_that_describes_no_scene_is_named_by_its_picture(companion, tmp_path, name, wrong, label):
    (tmp_path / "labels.json").write_text(json.dumps({"images": [label]}))
    shutil.copy(PHOTO, tmp_path / "a.jpg")
    status, out, err = companion("bench", name, "--labels", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("a.jpg: ")
    assert wrong in err


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        (["watch"], "leave --labels away"),
        (["web"], "name one of dice, scenes before --labels"),
        ([], "name one of dice, scenes before --labels"),
    ],
    ids=["watch", "web", "all"],
)
def test_labels_for_what_looks_at_no_pictures_are_refused(companion, name, advice):
    status, out, err = companion("bench", *name, "--labels", str(Path(PHOTO).parent))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert advice in err


def test_misses_never_take_a_labelled_photos_place(companion, tmp_path):
    (tmp_path / "labels.json").write_text(json.dumps({"images": [STACKS]}))
    status, out, err = companion("bench", "stacks", "--labels", str(tmp_path), "--out", str(tmp_path))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "name another folder for the misses" in err


def test_misses_never_take_the_place_of_photos_in_a_folder_below(companion, tmp_path):
    (tmp_path / "images").mkdir()
    shutil.copy(PHOTO, tmp_path / "images" / "a.jpg")
    (tmp_path / "labels.json").write_text(json.dumps([{"image": "images/a.jpg", "dice": [DIE]}]))
    before = (tmp_path / "images" / "a.jpg").read_bytes()
    out = ("--out", str(tmp_path / "images"))
    status, _, err = companion("bench", "dice", "--labels", str(tmp_path), *out)
    assert (status, err.count("\n")) == (1, 1)
    assert "name another folder for the misses" in err
    assert (tmp_path / "images" / "a.jpg").read_bytes() == before


def test_misses_of_two_folders_are_two_pictures(companion, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        shutil.copy(PHOTO, tmp_path / folder / "a.jpg")
    labels = [{"image": f"{folder}/a.jpg", "dice": [DIE]} for folder in ("one", "two")]  # no such die lies there
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    status, _, _ = companion("bench", "dice", "--labels", str(tmp_path), "--out", str(tmp_path / "out"))
    assert status == 0
    assert sorted(path.name for path in (tmp_path / "out").glob("*.jpg")) == ["one-a.jpg", "two-a.jpg"]


@pytest.mark.parametrize("is_terminal", [False, True])
def test_the_bench_of_dice_says_on_a_terminal_how_far_it_is(companion, tmp_path, monkeypatch, is_terminal):
    for name in ("a.jpg", "b.jpg"):
        shutil.copy(PHOTO, tmp_path / name)
    labels = [{"image": name, "dice": [DIE]} for name in ("a.jpg", "b.jpg")]
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    out = ("--out", str(tmp_path / "out"), "--json")
    status, told, progress = companion("bench", "dice", "--labels", str(tmp_path), *out)
    assert status == 0
    assert json.loads(told)["benches"]["dice"][0]["value"] == 2
    assert [f"photographs  [{bar}]" in progress for bar in (36 * "-", 18 * "#" + 18 * "-")] == [is_terminal] * 2
    assert bool(progress) is is_terminal


@pytest.mark.parametrize("name", sorted({*WITH_LABELS, *OF_A_CHECKOUT} - {*NEED_NO_LABELS}))
def test_labels_that_are_refused_leave_the_misses_of_the_last_run(companion, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (old := usual_out(name) / "old.jpg").parent.mkdir(parents=True)
    old.write_bytes(b"a miss")
    (tmp_path / "labels.json").write_text('{"images": [{"file": 5}]}')
    assert companion("bench", name, "--labels", str(tmp_path))[0] == 1
    assert old.exists()


def test_the_misses_of_the_last_run_go_once_the_next_one_begins(companion, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (old := usual_out("dice") / "old.jpg").parent.mkdir(parents=True)
    old.write_bytes(b"a miss")
    shutil.copy(PHOTO, tmp_path / "a.jpg")
    (tmp_path / "labels.json").write_text(json.dumps([{"image": "a.jpg", "dice": [DIE]}]))
    assert companion("bench", "dice", "--labels", str(tmp_path))[0] == 0
    assert [path.name for path in usual_out("dice").glob("*.jpg")] == ["a.jpg"]


@pytest.mark.parametrize(
    "wrong",
    [{"value": 9}, {"value": 0}, {"size_px": 0}, {"size_px": -30}, {"cx": 2e5}, {"visible": 2}, {"w": -1, "h": 3}],
)
def test_labels_of_no_die_that_can_be_are_one_sentence(companion, tmp_path, wrong):
    shutil.copy(PHOTO, tmp_path / "a.jpg")
    (tmp_path / "labels.json").write_text(json.dumps([{"image": "a.jpg", "dice": [DIE | wrong]}]))
    status, out, err = companion("bench", "dice", "--labels", str(tmp_path), "--out", str(tmp_path / "out"))
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "do not fit at a.jpg" in err


def test_misses_that_cannot_be_kept_are_one_sentence_before_anything_is_measured(companion, tmp_path):
    (tmp_path / "file").write_text("")
    status, out, err = companion("bench", "scenes", "--out", str(tmp_path / "file"))
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_the_help_of_the_bench_names_every_part(companion):
    for benches, help_of in ((BENCHES, ("bench", "--help")), (OF_A_CHECKOUT, ("bench", "watch", "--help"))):
        _, out, _ = companion(*help_of)
        told = out.split("Options:")[0].split("Measures")[1]
        assert set(benches) <= set(re.findall(r"\w+", told))


def test_labels_that_cannot_be_read_are_one_sentence(tmp_path):
    (tmp_path / "labels.json").mkdir()
    with pytest.raises(BadInput, match=r"cannot be read \(Is a directory\)"):
        read_images(tmp_path, "board")


def test_wilson_intervals():
    assert wilson(0, 0) == (0.0, 1.0)
    assert [round(v, 4) for v in wilson(8, 10)] == [0.4902, 0.9433]
    assert round(wilson(0, 100)[1], 4) == 0.037


def test_thrown_makes_a_throw_of_each_picture_onto_a_table_without_its_dice(companion, tmp_path):
    folder, out_folder = tmp_path / "scenes", tmp_path / "out"
    folder.mkdir()
    entries = json.loads((Path(PHOTO).parent / "labels.json").read_text())[:2]
    for entry in entries:
        (folder / entry["image"]).write_bytes((Path(PHOTO).parent / entry["image"]).read_bytes())
    (folder / "labels.json").write_text(json.dumps(entries))
    status, out, _ = companion("bench", "thrown", "--labels", str(folder), "--out", str(out_folder), "--json")
    rows = {row["name"]: row for row in json.loads(out)["benches"]["thrown"]}
    assert status == 0
    assert rows["throws told"]["count"] == len(entries)
    kept = rows["dice read, of those read with nothing before"]
    assert kept["count"] == kept["total"] > len(entries)
