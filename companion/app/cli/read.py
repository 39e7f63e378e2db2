"""`companion read dice|stacks|… PHOTO…`: what a reader makes of photographs."""

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from companion.app.as_json import echo_json
from companion.app.cli.groups import Sentences
from companion.app.cli.options import A_PATH
from companion.errors import BadInput
from companion.game.readings import Kind
from companion.game.readings.dice import INNER

CHANCES = ("confidence", "chances", "alternatives", "outside_confidence")


@click.group(cls=Sentences)
def read() -> None:
    """Reads photographs of the table."""


def photo_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--annotate", "folder", type=A_PATH, help="Save each photo with its reading drawn in."),
        click.option("--json", "as_json", is_flag=True, help="One JSON list on standard output, one element a photo."),
        click.option("--scene", "scene_path", type=A_PATH, help="What calibration wrote about the table."),
        click.argument("photos", nargs=-1, required=True, metavar="PHOTO..."),
    ):
        command = option(command)
    return command


@read.command()
@photo_options
def dice(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads six-sided pip dice: values, places, colours, and what is too unsure to say."""
    read_photos(Kind.DICE, photos, scene_path, as_json, folder, dice_in_words)


@read.command()
@photo_options
def stacks(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads dice in stacks: the top die of each, and how many dice are under it. Needs the camera's place: --scene."""
    read_photos(Kind.STACKS, photos, scene_path, as_json, folder, stacks_in_words)


@read.command()
@photo_options
def board(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads piles of round pieces on a grid board: each space's top colour. Needs --scene with camera, board and
    colour_rgb; the size of pieces that nobody measured is found in the picture."""
    read_photos(Kind.BOARD, photos, scene_path, as_json, folder, board_in_words)


@read.command()
@photo_options
def load(photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None) -> None:
    """Reads boxes left over beside the trucks, by size, and what covers the trucks. Needs --scene with unit_mm."""
    read_photos(Kind.LOAD, photos, scene_path, as_json, folder, load_in_words)


@read.command()
@photo_options
@click.option("--deck", "deck_path", type=A_PATH, help="A bought deck: a folder with one picture of each card.")
def card(
    photos: tuple[str, ...], scene_path: Path | None, as_json: bool, folder: Path | None, deck_path: Path | None
) -> None:
    """Reads which card lies there: one of our own deck, or of the one that --deck shows."""
    from vision.card.reader import load_deck, read_card
    from vision.readers.kinds import READERS

    deck = load_deck(deck_path) if deck_path else ()
    reader = replace(READERS[Kind.CARD], read=lambda frame, scene: read_card(frame, scene, deck))
    beside = tuple(deck_path.iterdir()) if deck_path else ()
    read_photos(Kind.CARD, photos, scene_path, as_json, folder, card_in_words, reader, beside)


@read.command()
@photo_options
@click.option("--reference", type=A_PATH, help="A photo of the stack to compare with.")
@click.option("--reference-scene", type=A_PATH, help="The scene of the reference, if another one.")
def tower(
    photos: tuple[str, ...],
    scene_path: Path | None,
    as_json: bool,
    folder: Path | None,
    reference: Path | None,
    reference_scene: Path | None,
) -> None:
    """Reads stacks of wooden blocks from the front: what stands in each space, and whether it is the reference's stack.

    Needs --scene with space_centres_mm and block_mm_long_mid_short.
    """
    if reference_scene is not None and reference is None:
        raise click.UsageError("--reference-scene describes the photo of --reference: name that photo, too.")
    from vision.cameras.photos import load_photo
    from vision.readers.kinds import READERS
    from vision.scene.file import load_scene
    from vision.tower.reader import read_beside, reference_side

    reader = None
    if reference is not None:
        scene = load_scene(scene_path) if scene_path else None
        own_scene = load_scene(reference_scene) if reference_scene else None
        side = reference_side(load_photo(reference), scene, own_scene)
        reader = replace(READERS[Kind.TOWER], read=lambda frame, scene: read_beside(frame, scene, side))
    beside = (reference,) if reference else ()
    read_photos(Kind.TOWER, photos, scene_path, as_json, folder, tower_in_words, reader, beside)


@read.command()
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@click.option("--scene", "scene_path", required=True, type=A_PATH, help="What calibration wrote.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--annotate", "folder", type=A_PATH, help="Save AFTER with the play drawn in.")
def play(before: str, after: str, scene_path: Path, as_json: bool, folder: Path | None) -> None:
    """Says which play leads from one picture of a board to the next: a piece placed, or a pile toppled. The scene needs
    camera, board and colour_rgb, as that of `read board`."""
    from vision.board.play import read_play
    from vision.cameras.photos import load_photo
    from vision.readers.annotate import draw_play
    from vision.scene.file import load_scene

    scene, frames = load_scene(scene_path), [load_photo(Path(photo)) for photo in (before, after)]
    read_play(frames[0], frames[1], scene)  # This loads the network, which does not count as time of the reading.
    began = time.perf_counter()
    reading = read_play(frames[0], frames[1], scene)
    spent_ms = (time.perf_counter() - began) * 1000
    if folder:
        (place,) = annotated_places((after,), folder, (Path(before), Path(after)))
        save_picture(place, draw_play(frames[1], reading))
    if not as_json:
        click.echo(play_in_words(reading))
        return
    element = {
        "before": before,
        "after": after,
        "width": reading.width,
        "height": reading.height,
        "ms": round(spent_ms, 1),
        "accepted": reading.accepted,
        "play": reading.play.fields() if reading.play else None,
        "confidence": round(reading.confidence, 4),
        "alternatives": [[play_.fields(), round(chance, 4)] for play_, chance in reading.alternatives],
        "changed_cells": [list(cell) for cell in reading.changed],
        "differs": reading.differs,
    }
    echo_json(element)


def read_photos(
    kind: Kind,
    photos: tuple[str, ...],
    scene_path: Path | None,
    as_json: bool,
    folder: Path | None,
    words: Callable[[dict[str, Any]], str],
    reader: Any = None,
    beside: tuple[Path, ...] = (),
) -> None:
    """Reads each photo and says what was seen; one that cannot be read is reported after all others were.

    beside  other pictures that the reader uses; none of them may be overwritten
    """
    from vision.readers.kinds import READERS
    from vision.scene.file import load_scene

    scene = load_scene(scene_path) if scene_path else None
    originals = (*map(Path, photos), *beside)
    places = annotated_places(photos, folder, originals) if folder else [None] * len(photos)
    elements = []
    for number, (photo, place) in enumerate(zip(photos, places, strict=True)):
        try:
            element = read_photo(reader or READERS[kind], photo, scene, place, first=number == 0)
        except BadInput as refusal:
            element = {"image": photo, "error": str(refusal)}
            print(refusal, file=sys.stderr)
        elements.append(element)
        if not as_json and "error" not in element:
            click.echo(words(element))
    if as_json:
        echo_json(elements)
    if any("error" in element for element in elements):
        sys.exit(1)


def read_photo(reader: Any, photo: str, scene: Any, place: Path | None, *, first: bool) -> dict[str, Any]:
    """The JSON element of one photo, in this command's stable format; saves the drawn reading at `place`, if given."""
    from vision.cameras.photos import load_photo

    frame = load_photo(Path(photo))
    if first:
        reader.read_photo(frame, scene)  # This loads the networks, which no photo counts.
    began = time.perf_counter()
    reading = reader.read_photo(frame, scene)
    spent_ms = (time.perf_counter() - began) * 1000
    if place:
        save_picture(place, reader.draw(frame, reading))
    return {"image": photo, "ms": round(spent_ms, 1), **element_of(reading)}


def element_of(reading: Any) -> dict[str, Any]:
    """A reading in the fields of this command's stable format."""
    return {"accepted": reading.accepted, **round_parts(asdict(reading))}


def annotated_places(photos: tuple[str, ...], folder: Path, originals: tuple[Path, ...]) -> list[Path]:
    """The file for each drawn photo, all different. Raises BadInput if one would overwrite one of `originals`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} cannot hold annotated photos: {error.strerror}.") from error
    places: list[Path] = []
    for photo in photos:
        stem, number = Path(photo).stem, 1
        while (place := folder / (f"{stem}.jpg" if number == 1 else f"{stem}-{number}.jpg")) in places:
            number += 1
        places.append(place)
    pictures = {picture.resolve() for picture in originals}
    for place in places:
        if place.resolve() in pictures:
            raise BadInput(f"{place} is one of the photos themselves: name another folder for the annotated ones.")
    return places


def save_picture(path: Path, picture: Any) -> None:
    import cv2

    jpeg = cv2.imencode(".jpg", picture)[1]
    try:
        path.write_bytes(jpeg.tobytes())
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error


def round_parts(value: Any, name: str = "") -> Any:
    """A value with its lengths and angles rounded to a tenth, its chances to four places: more is noise."""
    match value:
        case dict():
            fields = {key: part for key, part in value.items() if part is not None or key != "match"}
            return {key: round_parts(part, str(key)) for key, part in fields.items() if key not in INNER}
        case list() | tuple():
            return [round_parts(part, name) for part in value]
        case float():
            return round(value, 4 if name in CHANCES else 1)
    return value


def dice_in_words(element: dict[str, Any]) -> str:
    """One line a photo: the values, and how many of them must be asked."""
    values = " ".join(f"{die['value']}{'' if die['accepted'] else '?'}" for die in element["dice"])
    values = values or none_of("dice", element)
    to_ask = sum(not die["accepted"] for die in element["dice"])
    return f"{element['image']}: {values}  {doubts(to_ask, len(element['unread']))}".rstrip()


def none_of(things: str, element: dict[str, Any]) -> str:
    """The words for a picture in which no value was read; an unread thing may be one."""
    return "nothing could be read" if element["unread"] else f"no {things}"


def doubts(to_ask: int, unread: int = 0) -> str:
    """The open questions, in brackets; "" if there are none."""
    notes = [f"{count} {what}" for count, what in ((to_ask, "to ask"), (unread, "unread")) if count]
    return f"({', '.join(notes)})" if notes else ""


def stacks_in_words(element: dict[str, Any]) -> str:
    """One line a photo: colour, value and height of each stack, what is unsure with a question mark."""
    stacks_ = [
        f"{stack['top']['colour'] or ''} {stack['top']['value']}{'' if stack['top']['accepted'] else '?'}"
        f" on {stack['height']}{'' if stack['height_accepted'] else '?'}".strip()
        for stack in element["stacks"]
    ]
    to_ask = sum(not (stack["height_accepted"] and stack["top"]["accepted"]) for stack in element["stacks"])
    text = ", ".join(stacks_) or none_of("stacks", element)
    return f"{element['image']}: {text}  {doubts(to_ask, len(element['unread']))}".rstrip()


def board_in_words(element: dict[str, Any]) -> str:
    """One line a photo: row by row the first letters of each top's colour, a dot for an empty space."""
    rows = [
        " ".join(f"{(cell['colour'] or '.')[:3]}{'' if cell['accepted'] else '?'}" for cell in row)
        for row in element["cells"]
    ]
    return f"{element['image']}: {' / '.join(rows)}"


def load_in_words(element: dict[str, Any]) -> str:
    """One line a photo: how many boxes of which size are left over, and how many squares of each truck are covered."""
    boxes = ", ".join(f"{count} of {size}" for size, count in element["outside"].items()) or "no boxes"
    doubt = "" if element["outside_accepted"] else "?"
    trucks = ""
    for number, truck in enumerate(element["trucks"], 1):
        squares = [cell for row in truck["cells"] for cell in row]
        filled, to_ask = sum(cell["filled"] for cell in squares), sum(not cell["accepted"] for cell in squares)
        trucks += f"; truck {number}: {filled} squares covered {doubts(to_ask)}".rstrip()
    return f"{element['image']}: {boxes}{doubt}{trucks}"


def card_in_words(element: dict[str, Any]) -> str:
    """One line a photo: the card's number and name."""
    if element["card"] is None:
        return f"{element['image']}: {element['name'] or 'no card'}{'' if element['accepted'] else '?'}"
    return f"{element['image']}: {element['card']} {element['name']}{'' if element['accepted'] else '?'}"


def tower_in_words(element: dict[str, Any]) -> str:
    """One line a photo: what stands in each space, in how many blocks, and how it compares."""
    spaces = []
    for space in element["spaces"]:
        words = f"{space['space']} {space['status']}{'' if space['accepted'] else '?'}"
        words += f" ({len(space['blocks'])} blocks)" if space["blocks"] else ""
        if match := space.get("match"):
            words += f" {'same' if match['same'] else 'different'}{'' if match['accepted'] else '?'}"
            words += f": {', '.join(match['differences'])}" if match["differences"] else ""
        spaces.append(words)
    return f"{element['image']}: {'; '.join(spaces)}"


def play_in_words(reading: Any) -> str:
    """The play in one line, or what no play explains."""
    if reading.play is None:
        return str(reading.differs)
    row, column = (number + 1 for number in reading.play.cell)
    doubt = "" if reading.accepted else "?"
    if reading.play.kind == "place":
        return f"{reading.play.colour} placed on row {row} column {column}{doubt}"
    return f"pile toppled on row {row} column {column}{doubt}"
