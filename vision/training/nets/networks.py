"""The networks, in torch; only convolutions, ReLU and nearest upsampling, so that OpenCV 4.6 runs them.

The order of the outputs is shared with `vision/dice/finder.py` and `vision/dice/faces.py`.

    python -m vision.training.nets.networks blend NAME FOLDER SHARE    mean of our NAME (SHARE) and FOLDER's
"""

import sys
from pathlib import Path

import torch
from torch import Tensor, nn

from vision.dice.faces import CLASSES
from vision.stacks.reader import OWN_FEATURES, SHARED_FEATURES
from vision.training.nets.weights import blend

POSE = 5  # face centre x, y and side in shares of the crop; cosine and sine of four times its angle


def block(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class Finder(nn.Module):
    """BGR -1..1, sides multiples of 32 → heat, log width and height over 16 px, offset of the centre in cells."""

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = block(3, 12, 2)
        self.at_4 = block(12, 24, 2)
        self.at_8 = nn.Sequential(block(24, 40, 2), block(40, 40))
        self.at_16 = nn.Sequential(block(40, 56, 2), block(56, 56), block(56, 56))
        self.at_32 = nn.Sequential(block(56, 72, 2), block(72, 72), block(72, 72))
        self.from_lowest = nn.Conv2d(72, 56, 1)
        self.mix_sixteenth = block(56, 56)
        self.from_sixteenth = nn.Conv2d(56, 40, 1)
        self.mix_eighth = block(40, 40)
        self.from_eighth = nn.Conv2d(40, 24, 1)
        self.mix_quarter = block(24, 20)
        self.head = nn.Conv2d(20, 5, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        nn.init.constant_(self.head.bias, 0)
        with torch.no_grad():
            self.head.bias[0] = -4.6  # a die in one cell of a hundred: keeps the first steps calm

    def forward(self, frame: Tensor) -> Tensor:
        quarter = self.at_4(self.at_2(frame))
        eighth = self.at_8(quarter)
        sixteenth = self.at_16(eighth)
        lowest = self.at_32(sixteenth)
        sixteenth = self.mix_sixteenth(sixteenth + self.up(self.from_lowest(lowest)))
        eighth = self.mix_eighth(eighth + self.up(self.from_sixteenth(sixteenth)))
        quarter = self.mix_quarter(quarter + self.up(self.from_eighth(eighth)))
        return self.head(quarter)


class Residual(nn.Module):
    """A block whose output is added to its input, which learns faster than the block alone."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, given: Tensor) -> Tensor:
        return given + self.inside(given)


class CropReader(nn.Module):
    """A network for crops of one size: features, one vector of all of them by `squeeze`, and the scores."""

    features: nn.Sequential
    squeeze: nn.Sequential
    head: nn.Conv2d

    def forward(self, crops: Tensor) -> Tensor:
        return self.head(self.squeeze(self.features(crops)))


class FaceReader(CropReader):
    """Crops of (3, 40, 40), each of mean 0 and deviation 1 → 8 class scores, then the pose of the top face."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            block(3, 14),
            block(14, 28, 2),
            block(28, 28),
            block(28, 48, 2),
            block(48, 48),
            block(48, 96, 2),
            block(96, 96),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(96, 96, 5), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(96, CLASSES + POSE, 1)


class CloseReader(CropReader):
    """As `FaceReader`, for crops (3, 64, 64) of the few dice that it leaves in doubt."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            block(3, 20),
            block(20, 36, 2),
            block(36, 36),
            block(36, 64, 2),
            block(64, 64),
            Residual(block(64, 64)),
            block(64, 96, 2),
            block(96, 96),
            Residual(block(96, 96)),
            block(96, 104, 2),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(104, 80, 4), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(80, CLASSES + POSE, 1)


class DieKnower(CropReader):
    """Crops (3, 64, 64) of a place and what lies around it, of mean 0 and deviation 1 → scores of no die and a die."""

    def __init__(self) -> None:
        super().__init__()
        first = (nn.Conv2d(3, 20, 5, 2, 2, bias=False), nn.BatchNorm2d(20), nn.ReLU(inplace=True))
        self.features = nn.Sequential(
            nn.Sequential(*first),
            block(20, 28),
            block(28, 48, 2),
            Residual(block(48, 48)),
            block(48, 80, 2),
            Residual(block(80, 80)),
            block(80, 96, 2),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(96, 64, 4), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(64, 2, 1)


class StackReader(CropReader):
    """`vision.stacks.reader.network_input` (6, 144, 80) → features of a stack, then those shared by its picture."""

    def __init__(self) -> None:
        super().__init__()
        fine = (block(6, 16, 2), block(16, 28), block(28, 40, 2), block(40, 40))
        self.features = nn.Sequential(*fine, block(40, 64, 2), block(64, 64, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(64, 64, (9, 5)), nn.ReLU(inplace=True), nn.Dropout(0.2))
        self.head = nn.Conv2d(64, OWN_FEATURES + SHARED_FEATURES, 1)


class StackHeights(nn.Module):
    """(OWN_FEATURES + SHARED_FEATURES, 1, 1) → scores of the heights 1 to 4.

    The shared features are the mean over all stacks of a picture.
    """

    def __init__(self) -> None:
        super().__init__()
        self.weigh = nn.Sequential(nn.Conv2d(OWN_FEATURES + SHARED_FEATURES, 64, 1), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(64, 4, 1)

    def forward(self, known: Tensor) -> Tensor:
        return self.head(self.weigh(known))


class SpaceReader(CropReader):
    """`vision.board.reader.space_input` (9, 70, 56) → scores of the heights 0 to 6, then where the top is."""

    def __init__(self) -> None:
        super().__init__()
        first = (nn.Conv2d(9, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        fine = (
            nn.Sequential(*first),
            block(16, 16),
            block(16, 32, 2),
            Residual(block(32, 32)),
            Residual(block(32, 32)),
        )
        self.features = nn.Sequential(*fine, block(32, 64, 2), block(64, 64, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(64, 40, (5, 4)), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(40, 7 + 2, 1)


class TowerReader(nn.Module):
    """Crops (16, 384, 160) made by `vision.tower.maps.network_input` → maps and status.

    maps    (16, 192, 80): four scores for each of a cell's four pixels, see `vision.tower.maps`
    status  scores of standing, collapsed, empty
    """

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = nn.Sequential(
            nn.Conv2d(16, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), block(16, 16)
        )
        self.at_4 = nn.Sequential(block(16, 32, 2), block(32, 32))
        self.at_8 = nn.Sequential(block(32, 48, 2), block(48, 48))
        self.at_16 = nn.Sequential(block(48, 64, 2), block(64, 64), block(64, 64))
        self.from_16, self.mix_8 = nn.Conv2d(64, 48, 1), block(48, 48)
        self.from_8, self.mix_4 = nn.Conv2d(48, 32, 1), block(32, 32)
        self.from_4, self.mix_2 = nn.Conv2d(32, 16, 1), block(16, 20)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.maps = nn.Conv2d(20, 16, 1)
        self.status = nn.Sequential(
            block(64, 16, 2), nn.Conv2d(16, 24, (12, 5)), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Conv2d(24, 3, 1)
        )

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        maps, lowest = self.maps_of(crops)
        return maps, self.status(lowest)

    def maps_of(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """The maps of crops whose height 16 divides, and the features for the status."""
        half = self.at_2(crops)
        quarter = self.at_4(half)
        eighth = self.at_8(quarter)
        lowest = self.at_16(eighth)
        eighth = self.mix_8(eighth + self.up(self.from_16(lowest)))
        quarter = self.mix_4(quarter + self.up(self.from_8(eighth)))
        half = self.mix_2(half + self.up(self.from_4(quarter)))
        return self.maps(half), lowest


class LoadFinder(nn.Module):
    """`vision.load.flat.finder_input` (6, h, w), sides multiples of 32 → at a quarter: heat and offset of tops."""

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = block(6, 16, 2)
        self.at_4 = nn.Sequential(block(16, 32, 2), block(32, 32))
        self.at_8 = nn.Sequential(block(32, 52, 2), block(52, 52))
        self.at_16 = nn.Sequential(block(52, 72, 2), block(72, 72))
        self.at_32 = nn.Sequential(block(72, 64, 2), block(64, 64))
        self.from_lowest = nn.Conv2d(64, 72, 1)
        self.mix_sixteenth = block(72, 56)
        self.from_sixteenth = nn.Conv2d(56, 52, 1)
        self.mix_eighth = block(52, 52)
        self.from_eighth = nn.Conv2d(52, 32, 1)
        self.mix_quarter = nn.Sequential(block(32, 32), block(32, 32))
        self.head = nn.Conv2d(32, 1 + 2, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        nn.init.constant_(self.head.bias, 0)
        with torch.no_grad():
            self.head.bias[0] = -4.6  # a middle in one cell of a hundred: keeps the first steps calm

    def forward(self, flat: Tensor) -> Tensor:
        quarter = self.at_4(self.at_2(flat))
        eighth = self.at_8(quarter)
        sixteenth = self.at_16(eighth)
        sixteenth = self.mix_sixteenth(sixteenth + self.up(self.from_lowest(self.at_32(sixteenth))))
        eighth = self.mix_eighth(eighth + self.up(self.from_sixteenth(sixteenth)))
        return self.head(self.mix_quarter(quarter + self.up(self.from_eighth(eighth))))


class BoxReader(CropReader):
    """`vision.load.cuts.reader_input` (6, 72, 72) → 17 scores.

    They are the scores of no box and the 9 kinds, the offset of the top's middle in units, and the scores of the levels
    0 to 4 of the marked square.
    """

    def __init__(self) -> None:
        super().__init__()
        first = (nn.Conv2d(6, 24, 5, 2, 2, bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
        self.features = nn.Sequential(
            nn.Sequential(*first),
            block(24, 40),
            block(40, 64, 2),
            Residual(block(64, 64)),
            block(64, 96, 2),
            Residual(block(96, 96)),
            block(96, 96, 2),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(96, 96, 5), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.head = nn.Conv2d(96, 10 + 2 + 5, 1)


if __name__ == "__main__":
    if sys.argv[1] != "blend":
        raise SystemExit(__doc__)
    blend(sys.argv[2], Path(sys.argv[3]), float(sys.argv[4]))
