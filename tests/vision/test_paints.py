"""What paints cost under a lamp, against the sum worked out one by one."""

import numpy as np
import pytest

from vision.colour.paints import (
    CASTS,
    FLOOR,
    GLOSS_SPREAD,
    LEVELS,
    NOISE,
    UNEVEN,
    UNEVEN_SPREAD,
    costs_under,
    linear,
    name_pieces,
    tint_of,
)


def cost(face: np.ndarray, paint: np.ndarray, level: float) -> float:
    """How badly one paint explains one face: noise, gloss and uneven light, the least of all amounts of the latter."""
    costs = []
    for uneven in UNEVEN:
        amount = np.exp(level + uneven)
        rest = face - np.minimum(amount * paint, 1)
        gloss = max(rest.mean(), 0)
        off = (rest - gloss) / (NOISE * face + FLOOR)
        costs.append(0.5 * (off**2).sum() + 2 * gloss / (GLOSS_SPREAD * amount) + 0.5 * (uneven / UNEVEN_SPREAD) ** 2)
    return min(costs)


def test_costs_are_the_least_sums_over_uneven_light():
    rng = np.random.default_rng(5)
    seen, paints = linear(rng.uniform(0, 255, (4, 3))), linear(rng.uniform(0, 255, (3, 3)))
    costs = costs_under(CASTS[::9], seen, paints)
    assert costs.shape == (len(CASTS[::9]), len(LEVELS), 3, 4)
    for cast, level, k, n in np.ndindex(costs.shape):
        right = cost(seen[n] / np.exp(CASTS[9 * cast]), paints[k], LEVELS[level])
        assert abs(costs[cast, level, k, n] - right) < 1e-3 + 1e-4 * right


def test_many_faces_cost_what_each_does_alone():
    rng = np.random.default_rng(6)
    seen, paints = linear(rng.uniform(0, 255, (60, 3))), linear(rng.uniform(0, 255, (8, 3)))
    alone = np.concatenate([costs_under(CASTS, face[None], paints) for face in seen[:3]], axis=3)
    np.testing.assert_allclose(costs_under(CASTS, seen, paints)[..., :3], alone, rtol=1e-4, atol=1e-3)


PIECES_RGB = np.array([[230.0, 228, 222], [128, 130, 132], [186, 26, 43]])  # white, grey, red


def in_shadow(rgb: np.ndarray, share: float) -> np.ndarray:
    """The same colour under a share of the light."""
    return np.asarray(255 * (linear(rgb) * share) ** (1 / 2.2))


def test_a_white_piece_in_the_shadow_that_others_lie_in_is_no_grey_one():
    lit = PIECES_RGB[[0, 0, 0, 1, 1, 1, 2, 2, 2]]
    shaded = in_shadow(PIECES_RGB[[1, 2, 2, 0]], 0.45)
    chances = name_pieces(np.vstack([lit, shaded]), PIECES_RGB, np.ones(13))
    assert list(chances.argmax(axis=1)) == [0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 2, 0]
    assert chances[:12].max(axis=1).min() > 0.95


def test_a_colour_in_deep_shadow_keeps_its_hue():
    yellow, orange = [224.0, 194, 50], [238.0, 102, 22]
    lit = np.array([yellow, yellow, yellow, orange, orange, orange])
    dark = in_shadow(np.array([yellow, orange]), 0.1)
    chances = name_pieces(np.vstack([lit, dark]), np.array([yellow, orange]), np.ones(8))
    assert list(chances.argmax(axis=1)) == [0, 0, 0, 1, 1, 1, 0, 1]
    assert chances.max(axis=1).min() > 0.96


@pytest.mark.parametrize("level", [0.0, 255.0])
def test_black_and_burnt_out_pieces_get_probabilities(level):
    chances = name_pieces(np.full((2, 3), level), PIECES_RGB, np.ones(2))
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)
    assert chances.max() <= 1


CYAN = np.array([0.05, 1.0, 1.0])
WHITE_AND_TURQUOISE = np.array([[232.0, 230, 222], [40, 160, 165]])


def under(lamp: np.ndarray, rgb: np.ndarray) -> np.ndarray:
    """Colours 0..255 under a lamp: light is multiplied, not levels."""
    return np.asarray(255 * (linear(rgb) * lamp) ** (1 / 2.2))


def test_the_brightest_places_show_the_lamp():
    frame_bgr = np.full((60, 60, 3), 40, np.uint8)
    frame_bgr[:30] = under(CYAN, np.full(3, 250.0))[::-1].round()
    tint = tint_of(frame_bgr)
    assert tint.sum() == pytest.approx(0, abs=1e-9)
    assert tint[1] - tint[0] == pytest.approx(np.log(1 / 0.05), abs=0.1)
    assert np.abs(tint_of(np.full((60, 60, 3), 200, np.uint8))).max() == pytest.approx(0, abs=1e-9)


def test_white_under_a_cyan_lamp_is_not_surely_turquoise():
    seen = under(CYAN, WHITE_AND_TURQUOISE[[0, 0, 0, 0, 1]])
    alone = name_pieces(seen, WHITE_AND_TURQUOISE, np.ones(5))
    assert alone[0, 1] > 0.95  # without a look at the lamp
    tint = np.log(CYAN) - np.log(CYAN).mean()
    assert name_pieces(seen, WHITE_AND_TURQUOISE, np.ones(5), tint)[:4, 1].max() < 0.95


def test_a_body_of_none_of_the_paints_has_each_alike():
    chances = name_pieces(np.array([[232.0, 230, 222]] * 4 + [[20.0, 20, 220]]), WHITE_AND_TURQUOISE, np.ones(5))
    assert chances[:4, 0].min() > 0.95
    np.testing.assert_allclose(chances[4], 0.5)
