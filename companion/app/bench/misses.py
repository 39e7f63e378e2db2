"""Pictures of the readers' misses, drawn by the benches."""

from pathlib import Path

import cv2
import numpy as np

from companion.errors import BadInput

SUFFIX = ".jpg"


def save_miss(out: Path, name: str, picture_bgr: np.ndarray) -> None:
    """Writes a picture into `out`, under a file name made from its folders; raises BadInput.

    name  of the labelled picture, as its labels say it: a path, or a word
    """
    flat = "-".join(part for part in Path(name).parts if part not in ("/", ".."))
    place = out / (flat if flat.endswith(SUFFIX) else flat + SUFFIX)
    out.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(place), picture_bgr):
        raise BadInput(f"{place} cannot be written: make room, or name another folder.")


def clear_misses(out: Path) -> None:
    """Deletes the misses of an earlier run, so that only new ones are there."""
    for old in out.glob(f"*{SUFFIX}"):
        old.unlink()
