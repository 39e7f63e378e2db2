"""`companion watch VIDEO|FOLDER`: what came to rest in a recording, and when."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.readings import Settled

if TYPE_CHECKING:
    from vision.collapse import Fall
    from vision.stack_watch import StackWatch
    from vision.watch import Read


@click.command()
@click.argument("recording")
@click.option("--scene", "scene_path", default=None, type=click.Path(path_type=Path), help="What calibration wrote.")
@click.option("--json", "as_json", is_flag=True, help="JSON lines; they are what is written without it too.")
def watch(recording: str, scene_path: Path | None, as_json: bool) -> None:
    """Reads dice each time they have come to rest in RECORDING, a video or a folder of photos.

    One JSON object a line: "kind" (always "dice" so far), "rested_s" and "read_s" (seconds into the recording at which
    the last die came to rest and at which the reading was ready), "photo" (its name, in a folder), "width", "height",
    "accepted", "dice" and, where something could not be read, "unread", as `companion read dice --json` has them.
    A table that is empty, or that shows what was told already, gives no line. Where the scene describes stacking spaces
    and blocks, each stack that falls gives a line too: "kind" "collapse", "space", "at_s" (when it began to fall) and
    "seen_s" (when that was sure).
    """
    from companion.readings import Kind, Watching
    from vision.known_table import KnownTable
    from vision.lookout import reader_for

    for line in settled_lines(
        recording,
        reader_for(KnownTable.at(scene_path), Watching(Kind.DICE)),
        lambda sentence: click.echo(sentence, err=True),
        scene_path,
    ):
        click.echo(json.dumps(line))


def settled_lines(
    recording: str, read: "Read", tell: Callable[[str], None], scene_path: Path | None = None
) -> Iterator[dict[str, Any]]:
    """What came to rest or fell in a recording, as JSON-ready values; raises CameraUnavailable for what is none."""
    from companion.errors import CameraUnavailable
    from vision.cameras import open_camera
    from vision.recording import PhotoFolder
    from vision.watch import Watch

    camera = open_camera(recording, wait=None, tell=tell)
    if camera.live:
        raise CameraUnavailable(f"{recording} is no recording: give a video, or a folder of photos.")
    watching = Watch(read, live=False)
    stacks = None if isinstance(camera, PhotoFolder) else stack_watch(scene_path)  # between stills nothing falls
    with camera:
        for frame in camera.frames():
            if stacks:
                stacks.feed(frame)
                yield from (fall_json(space, fall) for space, fall in stacks.falls.items())
            settled = watching.feed(frame)
            if settled is not None:
                photo = camera.photos[frame.take].name if isinstance(camera, PhotoFolder) else None
                yield settled_json(settled, photo)


def stack_watch(scene_path: Path | None) -> "StackWatch | None":
    """What tells falls, as at a table, where the scene says where stacks stand and of what."""
    from companion.readings import Kind, Watching
    from vision.known_table import KnownTable
    from vision.lookout import reader_for
    from vision.stack_watch import StackWatch

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


def settled_json(settled: Settled, photo: str | None = None) -> dict[str, Any]:
    """A settled reading as one line of `companion watch`."""
    from dataclasses import asdict

    from companion.readings.dice import INNER

    reading = settled.reading
    line: dict[str, Any] = {
        "kind": "dice",
        "rested_s": round(settled.rested_us / 1_000_000, 3),
        "read_s": round(settled.read_us / 1_000_000, 3),
    }
    if photo is not None:
        line["photo"] = photo
    line |= {
        "width": reading.width,
        "height": reading.height,
        "accepted": reading.accepted,
        "dice": [{name: part for name, part in asdict(die).items() if name not in INNER} for die in reading.dice],
    }
    if reading.unread:
        line["unread"] = [asdict(box) for box in reading.unread]
    return line
