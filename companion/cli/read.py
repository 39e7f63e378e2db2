"""`companion read dice|stacks|… PHOTO…`: what a reader makes of photographs."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from companion.errors import BadInput

CHANCES = ("confidence", "chances", "alternatives", "outside_confidence")  # not lengths


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
    read_photos("dice", photos, scene_path, as_json, folder, dice_in_words)


@read.command()
@photo_options
def stacks(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads dice in stacks: the top die of each, and how many dice are under it. Needs the camera's place: --scene."""
    read_photos("stacks", photos, scene_path, as_json, folder, stacks_in_words)


def read_photos(
    kind: str,
    photos: tuple[str, ...],
    scene_path: Path | None,
    as_json: bool,
    folder: Path | None,
    words: Callable[[dict[str, Any]], str],
) -> None:
    """Reads each photo and says what was seen; one that cannot be read is reported after all others were."""
    from vision.readers import READERS
    from vision.scene_file import load_scene

    scene = load_scene(scene_path) if scene_path else None
    if folder:
        make_folder(folder)
    elements = []
    for photo in photos:
        try:
            element = read_photo(READERS[kind], photo, scene, folder)
        except BadInput as refusal:
            element = {"image": photo, "error": str(refusal)}
            print(refusal, file=sys.stderr)
        elements.append(element)
        if not as_json and "error" not in element:
            click.echo(words(element))
    if as_json:
        click.echo(json.dumps(elements, ensure_ascii=False))
    if any("error" in element for element in elements):
        sys.exit(1)


def read_photo(reader: Any, photo: str, scene: Any, folder: Path | None) -> dict[str, Any]:
    """The JSON element of one photo, in the words of the stable interface; draws it into `folder` when there is one."""
    from vision.photos import load_photo

    frame = load_photo(Path(photo))
    began = time.perf_counter()
    reading = reader.read(frame, scene)
    spent_ms = (time.perf_counter() - began) * 1000
    if folder:
        save_picture(folder / f"{Path(photo).stem}.jpg", reader.draw(frame, reading))
    return {"image": photo, "ms": round(spent_ms, 1), "accepted": reading.accepted, **rounded(asdict(reading))}


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot hold annotated photos: {error.strerror}.") from error


def save_picture(path: Path, picture: Any) -> None:
    import cv2

    packed = cv2.imencode(".jpg", picture)[1]
    try:
        path.write_bytes(packed.tobytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error


def rounded(value: Any, name: str = "") -> Any:
    """Lengths and angles to a tenth, chances to four places: more is noise."""
    match value:
        case dict():
            return {key: rounded(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            return [rounded(part, name) for part in value]
        case float():
            return round(value, 4 if name in CHANCES else 1)
    return value


def dice_in_words(element: dict[str, Any]) -> str:
    """One line a photo: values, and how many are to be asked."""
    values = " ".join(f"{die['value']}{'' if die['accepted'] else '?'}" for die in element["dice"]) or "no dice"
    asked = sum(not die["accepted"] for die in element["dice"])
    notes = [f"{asked} to ask"] if asked else []
    notes += [f"{len(element['unread'])} unread"] if element["unread"] else []
    return f"{element['image']}: {values}" + (f"  ({', '.join(notes)})" if notes else "")


def stacks_in_words(element: dict[str, Any]) -> str:
    """One line a photo: colour, value and height of each stack, what is unsure with a question mark."""
    named = [
        f"{stack['top']['colour'] or ''} {stack['top']['value']}{'' if stack['top']['accepted'] else '?'}"
        f" on {stack['height']}{'' if stack['height_accepted'] else '?'}".strip()
        for stack in element["stacks"]
    ]
    return f"{element['image']}: {', '.join(named) or 'no stacks'}"
