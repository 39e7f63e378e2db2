"""Says whether a thing is a die with pips: numerals, dominoes, tokens, cards and print look like one to the others."""

from pathlib import Path

import numpy as np

from vision.dice.crops import KNOWN_CONTEXT, KNOWN_PX, Pyramid, crop_matrix, cut, normalised
from vision.dice.finder import Candidate
from vision.models.network import MODELS, load_network, softmax

WORK = 22_204_544  # multiply-adds a crop
BATCH = 16  # crops at once


class DieKnower:
    """The network, loaded once. It sees more around a thing than the readers do. `multiply_adds` counts its work."""

    def __init__(self, models: Path = MODELS) -> None:
        self.network = load_network("dice-knower", models)
        self.multiply_adds = 0

    def chances(self, pyramid: Pyramid, places: list[Candidate]) -> list[float]:
        """The probability, 0..1, of each place that a die lies there."""
        found: list[float] = []
        for start in range(0, len(places), BATCH):
            chosen = places[start : start + BATCH]
            crops = [cut(pyramid, crop_matrix(c.cx, c.cy, KNOWN_CONTEXT * c.side, 0.0), KNOWN_PX) for c in chosen]
            scores = self.network.run(normalised(np.stack(crops)))[0].reshape(len(chosen), 2)
            self.multiply_adds += WORK * len(chosen)
            found += softmax(scores)[:, 1].tolist()
        return found
