"""`companion read dice PHOTO…`: what a reader makes of photographs."""

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from companion.errors import BadInput
from companion.readings import DiceReading


@click.group()
def read() -> None:
    """Reads photographs of the table."""


@read.command()
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO...")
@click.option("--scene", "scene_path", type=click.Path(path_type=Path), help="What calibration wrote about the table.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output, one element a photo.")
@click.option(
    "--annotate", "folder", type=click.Path(path_type=Path), help="Save each photo with its reading drawn in."
)
def dice(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads six-sided pip dice: values, places, colours, and what is too unsure to say."""
    from vision.readers import load_photo
    from vision.scene import load_scene

    scene = load_scene(scene_path) if scene_path else None
    if folder:
        make_folder(folder)
    elements = []
    failed = False
    for photo in photos:
        try:
            frame = load_photo(Path(photo))
            element = read_frame(photo, frame, scene, folder)
        except BadInput as refusal:
            element = {"image": photo, "error": str(refusal)}
            failed = True
            print(refusal, file=sys.stderr)
        elements.append(element)
        if not as_json and "error" not in element:
            click.echo(in_words(element))
    if as_json:
        click.echo(json.dumps(elements, ensure_ascii=False))
    if failed:
        sys.exit(1)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot hold annotated photos: {error.strerror}.") from error


def read_frame(photo: str, frame: Any, scene: Any, folder: Path | None) -> dict[str, Any]:
    """The JSON element of one photo; draws it into `folder` when there is one."""
    from vision.dice import read_dice

    began = time.perf_counter()
    reading = read_dice(frame, scene)
    spent_ms = (time.perf_counter() - began) * 1000
    if folder:
        save_annotated(folder / f"{Path(photo).stem}.jpg", frame, reading)
    return element_of(photo, reading, spent_ms)


def save_annotated(path: Path, frame: Any, reading: DiceReading) -> None:
    import cv2

    from vision.annotate import annotated

    packed = cv2.imencode(".jpg", annotated(frame, reading))[1]
    try:
        path.write_bytes(packed.tobytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error


def element_of(photo: str, reading: DiceReading, spent_ms: float) -> dict[str, Any]:
    """A reading in the words of the stable interface."""
    return {
        "image": photo,
        "width": reading.width,
        "height": reading.height,
        "ms": round(spent_ms, 1),
        "accepted": reading.accepted,
        "dice": [rounded(asdict(die)) for die in reading.dice],
        "unread": [rounded(asdict(box)) for box in reading.unread],
    }


def rounded(fields: dict[str, Any]) -> dict[str, Any]:
    """Lengths and angles to a tenth, chances to four places: more is noise."""
    return {
        name: round(value, 4 if name == "confidence" else 1) if isinstance(value, float) else value
        for name, value in fields.items()
    }


def in_words(element: dict[str, Any]) -> str:
    """One line a photo: values, and how many are to be asked."""
    values = " ".join(f"{die['value']}{'' if die['accepted'] else '?'}" for die in element["dice"]) or "no dice"
    asked = sum(not die["accepted"] for die in element["dice"])
    notes = [f"{asked} to ask"] if asked else []
    notes += [f"{len(element['unread'])} unread"] if element["unread"] else []
    return f"{element['image']}: {values}" + (f"  ({', '.join(notes)})" if notes else "")
