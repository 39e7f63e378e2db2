"""Reads the top face of dice from crops: no die, a value, or unreadable, and where the face lies."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.dice.crops import CONTEXT, UPRIGHT_CONTEXT, Pyramid, crop_matrix, cut, face_in_frame, normalise
from vision.dice.finder import Candidate
from vision.models.network import MODELS, load_network

NO_DIE, UNREADABLE = 0, 7  # The values 1 to 6 lie between them.
CLASSES = 8
BATCH = 16  # More crops at once cost memory and, as the processor's cache overflows, time.


@dataclass(frozen=True)
class FacePrediction:
    """A network's answer for one crop.

    scores  (8,) no die, 1..6, unreadable: before the softmax
    face    the top face in the frame: cx, cy, side in pixels and its turn in degrees, -45..45
    """

    scores: np.ndarray
    face: tuple[float, float, float, float]


class FaceReader:
    """One network: it sees crops `side_px` wide and costs `work` multiply-adds each, which `multiply_adds` counts."""

    def __init__(self, name: str, side_px: int, work: int, models: Path = MODELS) -> None:
        self.network, self.side_px, self.work = load_network(name, models), side_px, work
        self.multiply_adds = 0

    def look(self, pyramid: Pyramid, matrices: list[np.ndarray]) -> list[FacePrediction]:
        """The network's answer for each crop, given by its matrix (2, 3)."""
        predictions = []
        for start in range(0, len(matrices), BATCH):
            batch = matrices[start : start + BATCH]
            crops = normalise(np.stack([cut(pyramid, frame, self.side_px) for frame in batch]))
            self.multiply_adds += self.work * len(batch)
            outputs = self.network.run(crops)[0].reshape(len(batch), -1)
            predictions += [
                FacePrediction(out[:CLASSES], face_in_frame(out[CLASSES:], at))
                for out, at in zip(outputs, batch, strict=True)
            ]
        return predictions


def candidate_matrix(candidate: Candidate) -> np.ndarray:
    """The matrix (2, 3) of the crop of a die as it was found."""
    return crop_matrix(candidate.cx, candidate.cy, CONTEXT * candidate.side, 0.0)


def upright_matrix(prediction: FacePrediction) -> np.ndarray:
    """The matrix (2, 3) of the crop that is centred on the top face and turned upright with it."""
    cx, cy, side, turn_deg = prediction.face
    return crop_matrix(cx, cy, UPRIGHT_CONTEXT * side, turn_deg)
