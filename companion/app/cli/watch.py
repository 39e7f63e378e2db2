"""`companion watch VIDEO|FOLDER`: the readings of a recording, each time things have come to rest."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.app.cli.options import A_PATH
from companion.app.cli.read import element_of
from companion.game.readings import Kind, Settled, Watching
from companion.game.readings.dice import INNER, DiceReading, DieReading

if TYPE_CHECKING:
    from vision.watch.collapse import Fall
    from vision.watch.stack_watch import StackWatch
    from vision.watch.watch import Read


@click.command()
@click.argument("recording")
@click.option(
    "--kind",
    "kind_name",
    type=click.Choice([kind.value for kind in Kind]),
    default=Kind.DICE.value,
    help="What is read, as by `companion read`; dice if not said.",
)
@click.option("--scene", "scene_path", default=None, type=A_PATH, help="What calibration wrote.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines; they are what is written without it too.")
def watch(recording: str, kind_name: str, scene_path: Path | None, as_json: bool) -> None:
    """Reads what lies there each time it has come to rest in RECORDING, a video or a folder of photos: dice, or what
    --kind says. All but dice and cards need --scene, as `companion read` does.

    One JSON object a line: "kind", "rested_s" and "read_s" (seconds into the recording at which the last thing came to
    rest and at which the reading was ready), "photo" (its name, in a folder), and what `companion read KIND --json`
    has, but for "image" and "ms"; of dice "unread" only where something could not be read, and "old" only where dice
    have lain there since the video began: they are no part of a throw. What was told already gives no line, nor does a
    table without dice, stacks or a card. Where the scene describes stacking spaces and blocks, each
    stack that falls in a video gives a line too: "kind" "collapse", "space", "at_s" (when it began to fall) and
    "seen_s" (when that was sure).
    """
    from vision.watch.known_table import KnownTable
    from vision.watch.lookout import reader_for

    kind = Kind(kind_name)
    read = reader_for(KnownTable.at(scene_path), Watching(kind))
    for line in settled_lines(recording, read, lambda sentence: click.echo(sentence, err=True), scene_path, kind):
        click.echo(json.dumps(line))


def settled_lines(
    recording: str,
    read: "Read",
    tell: Callable[[str], None],
    scene_path: Path | None = None,
    kind: Kind = Kind.DICE,
) -> Iterator[dict[str, Any]]:
    """The readings at rest and the falls in a recording, as JSON-ready values; raises CameraUnavailable."""
    from companion.errors import CameraUnavailable
    from vision.cameras.recording import PhotoFolder
    from vision.open_camera import open_camera
    from vision.watch.lookout import watch_for
    from vision.watch.stack_watch import StackWatch
    from vision.watch.watch import Watch

    camera = open_camera(recording, wait=None, tell=tell)
    if camera.live:
        raise CameraUnavailable(f"{recording} is no recording: give a video, or a folder of photos.")
    if isinstance(camera, PhotoFolder):  # Between stills nothing falls, and no piece is put on another.
        watching = Watch(read, live=False, kind=kind)
        stacks = None
    else:
        watching = watch_for(read, kind, live=False)
        stacks = watching if isinstance(watching, StackWatch) else stack_watch(scene_path)
    begun_us: int | None = None
    with camera:
        for frame in camera.frames():
            settled = watching.feed(frame)
            begun_us = frame.at_us if begun_us is None else begun_us
            if stacks and stacks is not watching:
                stacks.feed(frame)
            if stacks:
                yield from (fall_json(space, fall) for space, fall in stacks.falls.items())
            if settled is not None and settled.rested_us > begun_us:
                settled = thrown_since(begun_us, settled)
            if settled is not None:
                photo = camera.photos[frame.take].name if isinstance(camera, PhotoFolder) else None
                yield settled_json(settled, kind, photo)


def thrown_since(begun_us: int, settled: Settled) -> Settled | None:
    """The reading without dice and things that have lain there since a recording began; None if there are no others."""
    if not isinstance(settled.reading, DiceReading):
        return settled
    new_dice = settled.reading.new_since(begun_us)
    return replace(settled, reading=new_dice) if new_dice.dice or new_dice.unread else None


def stack_watch(scene_path: Path | None) -> "StackWatch | None":
    """A watch for falls, or None if the scene does not describe stacking spaces and blocks."""
    from vision.watch.known_table import KnownTable
    from vision.watch.lookout import reader_for
    from vision.watch.stack_watch import StackWatch

    table = KnownTable.at(scene_path)
    scene = table.scene({})
    if not scene.block_mm or not scene.spaces_mm:
        return None
    return StackWatch(reader_for(table, Watching(Kind.TOWER)), live=False)


def fall_json(space: int, fall: "Fall") -> dict[str, Any]:
    """The fall of a space's stack as one line of `companion watch`."""
    return {
        "kind": "collapse",
        "space": space,
        "at_s": round(fall.began_us / 1_000_000, 3),
        "seen_s": round(fall.seen_us / 1_000_000, 3),
    }


def settled_json(settled: Settled, kind: Kind, photo: str | None = None) -> dict[str, Any]:
    """A settled reading as one line of `companion watch`."""
    line: dict[str, Any] = {
        "kind": kind.value,
        "rested_s": round(settled.rested_us / 1_000_000, 3),
        "read_s": round(settled.read_us / 1_000_000, 3),
    }
    if photo is not None:
        line["photo"] = photo
    return line | (dice_json(settled.reading) if kind is Kind.DICE else element_of(settled.reading))


def die_json(die: DieReading) -> dict[str, Any]:
    """A die in the fields of this command's stable format."""
    return {name: part for name, part in asdict(die).items() if name not in INNER}


def dice_json(reading: DiceReading) -> dict[str, Any]:
    """A dice reading in the fields of this command's stable format."""
    fields: dict[str, Any] = {
        "width": reading.width,
        "height": reading.height,
        "accepted": reading.accepted,
        "dice": [die_json(die) for die in reading.dice],
    }
    if reading.unread:
        fields["unread"] = [asdict(box) for box in reading.unread]
    if reading.old:
        fields["old"] = [die_json(die) for die in reading.old]
    return fields
