"""Says whether a thing is a die with pips: numerals, dominoes, tokens, cards and print look like one to the others."""

from pathlib import Path

import numpy as np

from vision.dice.crops import KNOWN_CONTEXT, KNOWN_PX, Pyramid, crop_matrix, cut, normalise
from vision.dice.finder import Candidate
from vision.models.network import MODELS, load_network, softmax

WORK = 22_204_544  # A crop costs so many multiply-adds.
BATCH = 16  # So many crops are looked at together.


class DieKnower:
    """The network, loaded once. It sees more around a thing than the readers do. `multiply_adds` counts its work."""

    def __init__(self, models: Path = MODELS) -> None:
        self.network = load_network("dice-knower", models)
        self.multiply_adds = 0

    def chances(self, pyramid: Pyramid, places: list[Candidate]) -> list[float]:
        """The probability, 0..1, of each place that a die lies there."""
        probabilities: list[float] = []
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            crops = [cut(pyramid, crop_matrix(c.cx, c.cy, KNOWN_CONTEXT * c.side, 0.0), KNOWN_PX) for c in batch]
            scores = self.network.run(normalise(np.stack(crops)))[0].reshape(len(batch), 2)
            self.multiply_adds += WORK * len(batch)
            probabilities += softmax(scores)[:, 1].tolist()
        return probabilities
