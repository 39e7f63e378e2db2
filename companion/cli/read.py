"""`companion read dice PHOTO…`: what a reader makes of photographs."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from companion.errors import BadInput
from companion.readings import DiceReading


@click.group()
def read() -> None:
    """Reads photographs of the table."""


def photo_options(command: Callable[..., None]) -> Callable[..., None]:
    """The arguments every reader of photographs takes."""
    for option in (
        click.option(
            "--annotate", "folder", type=click.Path(path_type=Path), help="Save each photo with its reading drawn in."
        ),
        click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output, one element a photo."),
        click.option(
            "--scene", "scene_path", type=click.Path(path_type=Path), help="What calibration wrote about the table."
        ),
        click.argument("photos", nargs=-1, required=True, metavar="PHOTO..."),
    ):
        command = option(command)
    return command


@read.command()
@photo_options
def dice(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads six-sided pip dice: values, places, colours, and what is too unsure to say."""
    read_photos(photos, scene_path, as_json, folder, read_frame, in_words)


@read.command()
@photo_options
def stacks(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads dice in stacks: the top die of each, and how many dice are under it. Needs the camera's place: --scene."""
    read_photos(photos, scene_path, as_json, folder, read_stacks_of, stacks_in_words)


def read_photos(
    photos: tuple[str, ...],
    scene_path: Path | None,
    as_json: bool,
    folder: Path | None,
    read_one: Callable[[str, Any, Any, Path | None], dict[str, Any]],
    words: Callable[[dict[str, Any]], str],
) -> None:
    """Reads each photo and says what was seen; one that cannot be read is reported after all others were."""
    from vision.readers import load_photo
    from vision.scene import load_scene

    scene = load_scene(scene_path) if scene_path else None
    if folder:
        make_folder(folder)
    elements = []
    failed = False
    for photo in photos:
        try:
            element = read_one(photo, load_photo(Path(photo)), scene, folder)
        except BadInput as refusal:
            element = {"image": photo, "error": str(refusal)}
            failed = True
            print(refusal, file=sys.stderr)
        elements.append(element)
        if not as_json and "error" not in element:
            click.echo(words(element))
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


def read_stacks_of(photo: str, frame: Any, scene: Any, folder: Path | None) -> dict[str, Any]:
    """The JSON element of one photo of stacks; draws the top dice into `folder` when there is one."""
    from vision.stacks import read_stacks

    began = time.perf_counter()
    reading = read_stacks(frame, scene)
    spent_ms = (time.perf_counter() - began) * 1000
    if folder:
        tops = DiceReading(reading.width, reading.height, tuple(stack.top for stack in reading.stacks), reading.unread)
        save_annotated(folder / f"{Path(photo).stem}.jpg", frame, tops)
    return {
        "image": photo,
        "width": reading.width,
        "height": reading.height,
        "ms": round(spent_ms, 1),
        "accepted": reading.accepted,
        "stacks": [rounded(asdict(stack)) | {"top": rounded(asdict(stack.top))} for stack in reading.stacks],
        "unread": [rounded(asdict(box)) for box in reading.unread],
    }


def stacks_in_words(element: dict[str, Any]) -> str:
    """One line a photo: colour, value and height of each stack, what is unsure with a question mark."""
    named = [
        f"{stack['top']['colour'] or ''} {stack['top']['value']}{'' if stack['top']['accepted'] else '?'}"
        f" on {stack['height']}{'' if stack['height_accepted'] else '?'}".strip()
        for stack in element["stacks"]
    ]
    return f"{element['image']}: {', '.join(named) or 'no stacks'}"


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
