"""What paints cost under a lamp, against the sum worked out one by one."""

import numpy as np

from vision.paints import CASTS, FLOOR, GLOSS_SPREAD, LEVELS, NOISE, UNEVEN, UNEVEN_SPREAD, costs_under, linear


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
