"""Heights told by the spacings of pips: dice drawn by lot, as a table's geometry has them."""

import numpy as np
import pytest

from vision.stacks.heights import log_growths_of, weigh_heights
from vision.stacks.pip_spacing import Spacing

EYE_MM, SIDE_MM = 750.0, 16.0
HEIGHTS = (1, 2, 3, 4)
UP = log_growths_of(EYE_MM, SIDE_MM, HEIGHTS)
NOTHING = np.full(4, 0.25)


def seen(rng, heights, spreads, doubt=0.003) -> list[Spacing | None]:
    """Spacings as a camera measures them."""
    up = UP[np.array(heights) - 1]
    return [Spacing(float(s * np.exp(u + rng.normal(0, doubt))), doubt) for s, u in zip(spreads, up, strict=True)]


def surely(height: int) -> np.ndarray:
    return np.where(np.array(HEIGHTS) == height, 0.97, 0.01)


def test_a_level_is_larger_by_how_much_nearer_it_is():
    far = EYE_MM - SIDE_MM * np.array(HEIGHTS)
    assert np.exp(UP) == pytest.approx(far[1] / far)


@pytest.mark.parametrize("seed", range(5))
def test_a_few_known_heights_tell_all_others(seed):
    rng = np.random.default_rng(seed)
    heights = rng.integers(1, 5, 20)
    chances = np.stack([surely(height) if i < 6 else NOTHING for i, height in enumerate(heights)])
    kinds = [("white", int(value)) for value in rng.integers(2, 7, 20)]
    weighed = weigh_heights(chances, seen(rng, heights, np.full(20, 0.52)), kinds, UP)
    assert (weighed.argmax(axis=1) + 1 == heights).all()
    assert np.sort(weighed.max(axis=1))[1] > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_colours_of_other_makes_have_combs_of_their_own(seed):
    rng = np.random.default_rng(seed)
    heights = rng.integers(1, 5, 24)
    colours = np.arange(24) % 2
    chances = np.stack([surely(height) if i < 10 else NOTHING for i, height in enumerate(heights)])
    kinds = [(("red", "blue")[colour], int(rng.integers(2, 7))) for colour in colours]
    weighed = weigh_heights(chances, seen(rng, heights, np.where(colours == 0, 0.5, 0.511)), kinds, UP)
    assert (weighed.argmax(axis=1) + 1 == heights).mean() > 0.95


def test_nothing_known_of_any_height_leaves_the_place_of_the_comb_open():
    """Ones and twos look like twos and threes of dice with closer pips."""
    rng = np.random.default_rng(3)
    heights = rng.integers(1, 3, 16)
    kinds = [("white", int(value)) for value in rng.integers(2, 7, 16)]
    weighed = weigh_heights(np.tile(NOTHING, (16, 1)), seen(rng, heights, np.full(16, 0.52)), kinds, UP)
    assert weighed.max() < 0.6


@pytest.mark.parametrize("seed", range(20))
def test_dice_whose_values_lie_apart_by_a_level_make_nobody_sure_of_a_wrong_height(seed):
    """Pips of a six a level farther apart than those of other values, as on dice that were measured for this."""
    rng = np.random.default_rng(seed)
    heights = np.ones(18, int)
    values = rng.integers(2, 7, 18)
    spreads = 0.52 * np.exp(np.where(values == 6, UP[1] - UP[0], 0))
    chances = np.stack([np.array([0.7, 0.2, 0.06, 0.04])] * 18)
    weighed = weigh_heights(chances, seen(rng, heights, spreads), [("white", int(v)) for v in values], UP)
    wrong = weighed[:, 1:].max(axis=1)
    assert (wrong < 0.94).all()


def test_what_was_not_measured_stays_as_it_was():
    rng = np.random.default_rng(5)
    chances = rng.dirichlet(np.ones(4), 6)
    spacings = seen(rng, [1, 2, 3, 4, 1, 2], np.full(6, 0.5))
    spacings[2] = spacings[4] = None
    weighed = weigh_heights(chances, spacings, [("white", 4)] * 6, UP)
    assert weighed[[2, 4]] == pytest.approx(chances[[2, 4]])
    assert weighed.sum(axis=1) == pytest.approx(np.ones(6))


def test_one_spacing_alone_says_nothing():
    chances = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    spacings = [Spacing(0.5, 0.003), None]
    assert weigh_heights(chances, spacings, [("white", 4), ("white", 5)], UP) == pytest.approx(chances)


def test_a_spacing_far_off_every_comb_changes_little():
    """A value misread, or pips of another pattern: a stray, which must not move the others, either."""
    rng = np.random.default_rng(6)
    heights = np.array([1, 2, 3, 4, 1, 2, 3, 1])
    chances = np.stack([surely(height) for height in heights])
    spacings = seen(rng, heights, np.full(8, 0.52))
    spacings[0] = Spacing(0.42, 0.003)
    weighed = weigh_heights(chances, spacings, [("white", 4)] * 8, UP)
    assert (weighed.argmax(axis=1) + 1 == heights).all()
    assert weighed[0, 0] > 0.9
