"""Folders of labelled pictures: what lies in them after makers of pictures wrote there."""

import json

import cv2
import numpy as np

from vision.training.labelled import write_labelled, write_scenes


def one(rng):
    return np.full((8, 8, 3), rng.integers(256), np.uint8), {"die_size_mm": float(rng.random())}


def pair_or_one(rng, name, index):
    """Every other scene is a pair."""
    if index % 2 == 0:
        return [one(rng)], []
    files = [f"{name}_{letter}.jpg" for letter in "ab"]
    return [(one(rng)[0], {"file": file}) for file in files], [{"a": files[0], "b": files[1]}]


def labels(folder):
    return json.loads((folder / "labels.json").read_text())


def test_each_picture_lies_beside_its_labels_and_is_always_the_same(tmp_path):
    write_labelled(tmp_path / "two", 2, 5, "board", one)
    write_labelled(tmp_path / "three", 3, 5, "board", one)
    entries = labels(tmp_path / "three")["images"]
    assert [entry["file"] for entry in entries] == [f"board-5-000{number}.jpg" for number in range(3)]
    assert entries[:2] == labels(tmp_path / "two")["images"]
    picture = cv2.imread(str(tmp_path / "three" / entries[2]["file"]))
    assert (picture == one(np.random.default_rng([5, 2]))[0]).all()


def test_a_folder_written_anew_holds_what_was_asked_for(tmp_path):
    write_labelled(tmp_path, 3, 5, "board", one)
    write_labelled(tmp_path, 1, 6, "board", one)
    assert [entry["file"] for entry in labels(tmp_path)["images"]] == ["board-6-0000.jpg"]


def test_what_takes_long_goes_on_where_it_was_left(tmp_path):
    write_scenes(tmp_path / "parts", 1, 7, "tower", pair_or_one, goes_on=True)
    write_scenes(tmp_path / "parts", 4, 7, "tower", pair_or_one, goes_on=True)
    write_scenes(tmp_path / "whole", 4, 7, "tower", pair_or_one)
    whole = labels(tmp_path / "whole")
    assert labels(tmp_path / "parts") == whole
    assert [entry["file"][11:] for entry in whole["images"]] == ["0.jpg", "1_a.jpg", "1_b.jpg", "2.jpg"]
    assert whole["pairs"] == [{"a": "tower-7-0001_a.jpg", "b": "tower-7-0001_b.jpg"}]
