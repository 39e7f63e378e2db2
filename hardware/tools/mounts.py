"""`make stl`: renders every printable part of hardware/mounts/*.scad as STL and as a small picture.

A part is a value of the variable `part` that a source names in its second comment. Beside the STL files lies the digest
of the source each was made from, so that a test without OpenSCAD can tell whether they are up to date.
"""

import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HARDWARE = Path(__file__).parents[1]
MOUNTS = HARDWARE / "mounts"
STL = MOUNTS / "stl"
PICTURES = HARDWARE / "pictures"
DIGESTS = STL / "made-from.json"
PICTURE_PX = "420,320"

Point = tuple[float, float, float]
Triangle = tuple[Point, Point, Point]


@dataclass(frozen=True)
class Part:
    """One thing to print."""

    source: Path
    name: str

    @property
    def stem(self) -> str:
        return f"{self.source.stem}-{self.name}"

    @property
    def stl(self) -> Path:
        return STL / f"{self.stem}.stl"

    @property
    def picture(self) -> Path:
        return PICTURES / f"{self.stem}.png"


def parts() -> Iterator[Part]:
    """Every part of every source: `part = "box";  // "box" or "lid"` names two."""
    for source in sorted(MOUNTS.glob("*.scad")):
        choices = re.search(r'^part = "\w+";\s*//(.*)$', source.read_text(), re.MULTILINE)
        if choices is None:
            raise SystemExit(f'{source.name} names no parts: write part = "…"; // "…" or "…".')
        for name in re.findall(r'"(\w+)"', choices.group(1)):
            yield Part(source, name)


def digest(part: Part) -> str:
    """What the part is made from; another digest, another STL."""
    return hashlib.sha256(part.source.read_bytes()).hexdigest()


def triangles(stl: bytes) -> list[Triangle]:
    """The triangles of a binary STL file."""
    (count,) = struct.unpack_from("<I", stl, 80)
    if len(stl) != 84 + 50 * count:
        raise ValueError("this is no binary STL")
    found = []
    for index in range(count):
        x = struct.unpack_from("<9f", stl, 84 + 50 * index + 12)
        found.append(((x[0], x[1], x[2]), (x[3], x[4], x[5]), (x[6], x[7], x[8])))
    return found


def open_edges(mesh: list[Triangle]) -> int:
    """How many edges do not lie between exactly two triangles that run along it in opposite directions.

    None in a body that is closed, so that inside and outside can be told apart everywhere.
    """
    edges = Counter((triangle[corner], triangle[(corner + 1) % 3]) for triangle in mesh for corner in range(3))
    return sum(count != 1 or edges[end, begin] != 1 for (begin, end), count in edges.items())


def size_mm(mesh: list[Triangle]) -> Point:
    """Width, depth and height."""
    x, y, z = zip(*(point for triangle in mesh for point in triangle), strict=True)
    return max(x) - min(x), max(y) - min(y), max(z) - min(z)


def volume_mm3(mesh: list[Triangle]) -> float:
    """The volume enclosed; negative where the faces look inwards."""
    return (
        sum(
            ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
            for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in mesh
        )
        / 6
    )


def openscad(*arguments: str, screen: bool = False) -> None:
    """Runs OpenSCAD; its pictures need a screen, if only a virtual one."""
    command = ["openscad", "-q", *arguments]
    if screen and shutil.which("xvfb-run"):
        command = ["xvfb-run", "-a", *command]
    subprocess.run(command, check=True, timeout=300)


def render(part: Part) -> None:
    """Makes the STL file and the picture of a part."""
    chosen = f'part="{part.name}"'
    openscad("-D", chosen, "--export-format", "binstl", "-o", str(part.stl), str(part.source))
    view = ("--imgsize=" + PICTURE_PX, "--render", "--autocenter", "--viewall", "--colorscheme=Tomorrow")
    openscad("-D", chosen, *view, "-o", str(part.picture), str(part.source), screen=True)


def main() -> None:
    if shutil.which("openscad") is None:
        sys.exit("OpenSCAD is missing: sudo apt-get install openscad xvfb xauth")
    STL.mkdir(exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    made = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    wanted = list(parts())
    for part in wanted:
        if made.get(part.stem) != digest(part) or not part.stl.exists() or not part.picture.exists():
            print(f"rendering {part.stem}", flush=True)
            render(part)
            made[part.stem] = digest(part)
    DIGESTS.write_text(json.dumps({part.stem: made[part.stem] for part in wanted}, indent=2) + "\n")
    for gone in set(STL.glob("*.stl")) - {part.stl for part in wanted}:
        gone.unlink()


if __name__ == "__main__":
    main()
