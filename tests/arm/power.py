"""The emulated machine's power goes while a table is installed and brought up to date: what its disk holds then.

QEMU has logged every write to the disk, with its flushes, as the kernel's `dm-log-writes` does. Any moment of that log
is a disk on which the power was cut; every second one has only a part, by chance, of what was not flushed by then. Each
is mounted here and looked at. `tests.arm.upgrade` has written into the log what was acknowledged when.
"""

import base64
import csv
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random

from companion.errors import CompanionError
from companion.journal.data_folder import JOURNAL
from tests.torture.power import surviving_ids
from tests.torture.write_log import Flag, Write, writes

MARK = re.compile(rb"^MARK (\S+)$", re.M)
BEGINS = "upgrade-begins"
HOME, DATA = "opt/table-companion", "var/lib/table-companion"
UNITS = ("table-companion.service", "table-camera.service")


def told(disk: Path, log: Path, cuts: int, seed: int) -> bool:
    """Cuts the power at so many moments, one line each; whether every disk was as it should be.

    disk    the image before the first write of the log
    """
    random = Random(seed)
    marks = [(number, text) for number, write in enumerate(writes(log)) for text in marks_in(write)]
    last, begins = marks[-1][0], next(number for number, text in marks if text == BEGINS)
    halves = random.sample(range(begins), cuts // 2), random.sample(range(begins, last), cuts - cuts // 2)
    moments = sorted((*halves[0], *halves[1]))
    print(f"The power is cut at {cuts} of {last} writes; seed {seed}; the upgrade begins at write {begins}")
    right = 0
    for number, (at, image) in enumerate(after(disk, log, moments, random)):
        said = {text for position, text in marks if position < at and not text.startswith("upgrade-")}
        found = looked_at(image, said)
        how = "any part of what was not flushed" if number % 2 else "all that was written"
        print(f"  write {at:>6}, {how:<32}  {len(said):>3} acknowledged  {found or 'as it should be'}")
        right += not found
    print(f"  {right} of {cuts} disks were as they should be")
    return right == cuts


def marks_in(write: Write) -> list[str]:
    """What the machine says in this write that it has been told."""
    return [found.decode() for found in MARK.findall(write.data)]


def after(disk: Path, log: Path, moments: list[int], random: Random) -> Iterator[tuple[int, Path]]:
    """(number of writes done, image) of each moment; every second image lacks a part of what was not flushed."""
    with tempfile.TemporaryDirectory(dir=log.parent) as scratch:
        flushed, cut = Path(scratch) / "flushed.img", Path(scratch) / "cut.img"
        copy(disk, flushed)
        pending: list[Write] = []
        wanted = iter(enumerate(moments))
        number, moment = next(wanted)
        for at, write in enumerate(writes(log)):
            while at == moment:
                copy(flushed, cut)
                put(cut, [one for one in pending if number % 2 == 0 or one.flags & Flag.FUA or random.random() < 0.5])
                yield at, cut
                number, moment = next(wanted, (number, -1))
                if moment < 0:
                    return
            pending.append(write)
            if write.flags & Flag.FLUSH:
                put(flushed, pending)
                pending.clear()


def copy(one: Path, other: Path) -> None:
    """Copies an image, without room for what is empty."""
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", one, other], check=True)


def put(image: Path, some: list[Write]) -> None:
    """Does writes."""
    with image.open("r+b") as file:
        for write in some:
            file.seek(write.offset)
            file.write(write.data)


def looked_at(image: Path, said: set[str]) -> str:
    """What is wrong with a disk, "" when nothing is."""
    try:
        with mounted(image) as root:
            return "; ".join((*wrong_games(root, said), *wrong_version(root)))
    except subprocess.CalledProcessError as error:
        return f"it cannot be mounted: {error.stderr.decode().strip()}"


@contextmanager
def mounted(image: Path) -> Iterator[Path]:
    """The folder where an image is mounted, as the machine's kernel would at its next start."""
    folder = Path(tempfile.mkdtemp())
    subprocess.run(["mount", "-t", "ext4", "-o", "loop", image, folder], check=True, capture_output=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True, capture_output=True)
        folder.rmdir()


def wrong_games(root: Path, said: set[str]) -> Iterator[str]:
    """What is wrong with the games: each entry that was acknowledged is there, each chain whole."""
    if not (root / DATA / JOURNAL).exists():
        if said:
            yield "there are no games"
        return
    with tempfile.TemporaryDirectory() as scratch:  # looking puts a journal in order
        for path in (root / DATA).glob(f"{JOURNAL}*"):
            shutil.copy(path, scratch)
        try:
            there = surviving_ids(Path(scratch) / JOURNAL)
        except CompanionError as error:
            yield f"the games cannot be opened: {error}"
            return
    if lost := said - there:
        yield f"{len(lost)} acknowledged entries are lost, such as {sorted(lost)[0]}"


def wrong_version(root: Path) -> Iterator[str]:
    """What is wrong with the version in use: none yet, or one that is whole, with units that are whole."""
    current = root / HOME / "current"
    if not current.is_symlink():
        return
    slot = root / HOME / current.readlink()
    if not (slot / "complete").exists():
        yield f"slot {slot.name} is in use and not complete"
    for record in slot.glob("venv/lib/python3*/site-packages/*.dist-info/RECORD"):
        yield from damaged(record)
    known = {unit: [path.read_bytes() for path in (root / HOME).glob(f"*/systemd/{unit}")] for unit in UNITS}
    for unit in UNITS:
        installed = root / "etc/systemd/system" / unit
        if installed.exists() and installed.read_bytes() not in known[unit]:
            yield f"{unit} is none of the installed versions'"


def damaged(record: Path) -> Iterator[str]:
    """The files of a package that are not as its list says."""
    with record.open(newline="") as lines:
        for name, stated, _size in csv.reader(lines):
            path = record.parent.parent / name
            algorithm, _, wanted = stated.partition("=")
            if algorithm != "sha256":
                continue
            if not path.exists():
                yield f"{name} is missing"
            elif base64.urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode() != wanted:
                yield f"{name} is damaged"
