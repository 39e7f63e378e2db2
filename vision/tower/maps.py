"""The network's maps of stacking spaces: fronts and edges of blocks, and the status of each space."""

from dataclasses import dataclass, fields
from functools import cache

import cv2
import numpy as np

from companion.game.readings import Status
from vision.models.network import Network, load_network
from vision.tower.crop import BELOW_PX, FINER, TALL_PX, WIDE_PX

# A stack's foot is there.
FOOT_ROWS, FOOT_COLUMNS = slice(TALL_PX - BELOW_PX - 22, TALL_PX - BELOW_PX - 4), slice(72, 88)
# Each was shown so many times more often in training than it is.
TAUGHT_WEIGHTS = np.array([2.0, 2.0, 4.0, 4.0], np.float32)
BESIDE_PX = 30  # Stacks seldom stand in these columns at either side.
STATUSES = (Status.STANDING, Status.COLLAPSED, Status.EMPTY)


@dataclass(frozen=True, eq=False)
class Maps:
    """Scores (log odds) of each pixel of a crop, (384, 160) float32, and the chances of each status.

    front   a front of a block or the round of a cylinder
    block   any part of a block
    level   the upper or lower edge of a front
    side    the left or right edge of a front
    """

    front: np.ndarray
    block: np.ndarray
    level: np.ndarray
    side: np.ndarray
    status: np.ndarray


def look_at(crops: list[np.ndarray], twice: bool = False) -> list[Maps]:
    """The maps of crops (768, 320, 3) uint8.

    twice   whether each is seen in a mirror, too: the mean of both has smaller errors, in twice the time
    """
    looks = [maps_in(crop) for crop in crops]  # OpenCV before 4.8 keeps the shape of the first batch.
    if twice:
        looks = [mean_of(look, mirrored(maps_in(crop[:, ::-1]))) for look, crop in zip(looks, crops, strict=True)]
    return looks


def maps_in(crop: np.ndarray) -> Maps:
    maps, status = tower_network().run(network_input(crop))
    return maps_of(maps[0], status.reshape(3))


def mirrored(maps: Maps) -> Maps:
    """The maps with left and right exchanged."""
    front, block, level, side = (plane[:, ::-1] for plane in (maps.front, maps.block, maps.level, maps.side))
    return Maps(front, block, level, side, maps.status)


def mean_of(*looks: Maps) -> Maps:
    """The mean of each map, and of the chances."""
    front, block, level, side, status = (
        np.mean([getattr(look, plane.name) for look in looks], axis=0) for plane in fields(Maps)
    )
    return Maps(front, block, level, side, status)


def network_input(crop: np.ndarray) -> np.ndarray:
    """(1, 16, 384, 160) float32 from a crop (768, 320, 3) uint8.

    The planes are the four pixels under each pixel of the maps, of mean 0 and deviation 1 (12); the difference to a
    stack's foot and to what is beside it; and the distances from the middle column and from the foot's row.
    """
    small = np.stack(cv2.split(cv2.resize(crop, (WIDE_PX, TALL_PX), interpolation=cv2.INTER_AREA))).astype(np.float32)
    mean, deviation = float(small.mean()), float(small.std()) + 4
    small -= mean
    small /= deviation
    planes = np.empty((3 * FINER**2 + 4, TALL_PX, WIDE_PX), np.float32)
    fine = crop.reshape(TALL_PX, FINER, WIDE_PX, FINER, 3).transpose(1, 3, 4, 0, 2)
    folded = planes[: 3 * FINER**2].reshape(FINER, FINER, 3, TALL_PX, WIDE_PX)
    np.subtract(fine, np.float32(mean), out=folded)
    folded /= np.float32(deviation)
    foot = np.median(small[:, FOOT_ROWS, FOOT_COLUMNS].reshape(3, -1), axis=1)
    sides = np.sort(np.concatenate([small[..., :BESIDE_PX], small[..., -BESIDE_PX:]], axis=2))
    beside = sides[..., BESIDE_PX - 1 : BESIDE_PX + 1].mean(axis=2)  # This is ten times as fast as numpy's median.
    for plane, usual in zip(planes[-4:-2], (foot[:, None, None], beside[..., None]), strict=True):
        np.sqrt(np.square(small - usual).sum(axis=0), out=plane)
    planes[-2] = np.abs(np.arange(WIDE_PX, dtype=np.float32) + 0.5 - WIDE_PX / 2) / 40
    planes[-1] = ((TALL_PX - BELOW_PX - np.arange(TALL_PX, dtype=np.float32)) / 100)[:, None]
    return planes[None]


def maps_of(cells: np.ndarray, status: np.ndarray) -> Maps:
    """The network's cells (16, 192, 80) as four maps, and its three scores as probabilities."""
    scores = cells.reshape(4, 2, 2, TALL_PX // 2, WIDE_PX // 2).transpose(0, 3, 1, 4, 2)
    planes = np.empty((4, TALL_PX, WIDE_PX), np.float32)
    np.subtract(scores, np.log(TAUGHT_WEIGHTS)[:, None, None, None, None], out=planes.reshape(scores.shape))
    chances = np.exp(status - status.max())
    front, block, level, side = planes
    return Maps(front, block, level, side, chances / chances.sum())


@cache
def tower_network() -> Network:
    """The network, loaded once."""
    return load_network("tower-reader", outputs=("maps", "status"))
