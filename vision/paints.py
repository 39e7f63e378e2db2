"""Which of the scene's paints each piece has: all are named together, as one lamp lights them.

What a camera sees of a face is the lamp's colour times (an amount of the paint + an amount of gloss, which has the
lamp's own colour). Amounts differ from piece to piece, the lamp's colour does not.
"""

import numpy as np

CASTS = np.array(
    [(a, -a / 2 - b, -a / 2 + b) for a in np.linspace(-0.45, 0.45, 7) for b in np.linspace(-0.45, 0.45, 7)]
)
LIGHTS = np.linspace(-3.0, 1.6, 93)  # logarithms of the light on any piece, so close that levels and UNEVEN share them
LEVELS = LIGHTS[12:-12:4]  # of the light on a piece of average place
BRIGHT, BRIGHT_SPREAD = 0.2, 0.25  # levels above are rare, by so much, where a camera's exposure must not cut white off
UNEVEN = np.linspace(-0.6, 0.6, 9)  # and of how much more or less one piece gets, in steps of three LIGHTS
UNEVEN_SPREAD = 0.22
CAST_SPREAD = 0.22  # of lamps and white balances, in logarithms of light
GLOSS_SPREAD = 0.35  # of a face, in shares of the light on a white one
NOISE, FLOOR = 0.09, 0.012  # of light measured: a share of it, and an amount
ODD = 14.0  # cost above which a face is none of the paints and says nothing about the lamp
KINDRED = 4.0
LEAST_SAY, NO_SAY = 0.01, 1e-8  # lamps of less are left out where not all bodies looked for them, and everywhere
AT_ONCE = 120_000  # costs: more overflow the processor's cache
TEMPER = 1.0  # makes the probabilities true; found on drawn pictures


def linear(rgb: np.ndarray) -> np.ndarray:
    """Colours 0..255 as amounts of light 0..1."""
    return (np.clip(rgb, 0, 255) / 255) ** 2.2


def name_paints(
    bodies_rgb: np.ndarray,
    paints_rgb: np.ndarray,
    weights: np.ndarray | None = None,
    witnesses: int | None = None,
    exposed_for_white: bool = False,
) -> np.ndarray:
    """(n, 3) colours seen and (k, 3) paints → (n, k) probabilities.

    weights            (n,) how much each body counts where the lamp is looked for
    witnesses          the lamp is looked for by so many bodies at most, if they are more: it takes most of the time
    exposed_for_white  whether white lies about, as on a board: dark dice alone are shown brighter than they are
    """
    seen, paints = linear(bodies_rgb), linear(paints_rgb)
    weights = np.ones(len(seen)) if weights is None else weights
    asked = np.arange(len(seen))
    if witnesses is not None and len(seen) > witnesses:
        asked = np.linspace(0, len(seen) - 1, witnesses).astype(int)
    costs = costs_under(CASTS, seen[asked], paints)
    least = np.minimum(costs.min(axis=2), ODD) @ weights[asked]
    least = least + 0.5 * (CASTS**2).sum(axis=1)[:, None] / CAST_SPREAD**2
    shared = 1 + weights[asked].sum() / KINDRED  # faces under one lamp are off alike: ten are not ten witnesses
    odds = np.exp(-0.5 * TEMPER * (least - least.min()) / shared)  # lamps that explain nearly as much have a say
    if exposed_for_white:
        odds *= np.exp(-0.5 * (np.maximum(LEVELS - BRIGHT, 0) / BRIGHT_SPREAD) ** 2)
    odds /= odds.sum()
    if len(asked) < len(seen):
        likely = odds.sum(axis=1) > LEAST_SAY
        costs, odds = costs_under(CASTS[likely], seen, paints), odds[likely] / odds[likely].sum()
    heard = odds > NO_SAY
    costs, odds = costs[heard], odds[heard] / odds[heard].sum()
    mine = np.exp(-TEMPER * (costs - costs.min(axis=1, keepdims=True)))
    return np.einsum("l,lkn->nk", odds, mine / mine.sum(axis=1, keepdims=True))


def costs_under(casts: np.ndarray, seen: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(casts, levels, k, n): how badly each paint explains each face under a lamp of each colour and level of light."""
    faces = (seen / np.exp(casts)[:, None]).astype(np.float32)  # (casts, n, 3)
    step = max(1, AT_ONCE // max(1, len(LIGHTS) * len(paints) * len(seen)))
    some = (faces[start : start + step] for start in range(0, len(casts), step))
    shape = len(LEVELS), len(paints), len(casts), len(seen)
    costs = np.concatenate([costs_of(part.reshape(-1, 3), paints) for part in some], axis=2)
    return np.moveaxis(costs.reshape(shape), 2, 0)


def costs_of(faces: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(levels, k, n): the same of faces (n, 3) under a lamp without a colour.

    A face is off by the rest of its light that is neither paint nor gloss, the mean of what a paint leaves over:
    Σ w² (rest - gloss)², taken apart so that products of matrices give its sums over the three colours.
    """
    amounts = np.exp(LIGHTS).astype(np.float32)
    shown = np.minimum(amounts[:, None, None] * paints.astype(np.float32), 1.0).reshape(-1, 3)  # (lights·k, 3)
    one = np.ones((len(shown), 1), np.float32)
    price = np.repeat(2 / (GLOSS_SPREAD * amounts), len(paints))[:, None]
    weights = 0.5 / (NOISE * faces + FLOOR) ** 2
    lit = weights * faces
    squares = np.hstack([one, shown, shown**2]) @ np.vstack([(lit * faces).sum(axis=1), -2 * lit.T, weights.T])
    gloss = np.maximum(faces.mean(axis=1) - shown.mean(axis=1)[:, None], 0)
    off = np.hstack([one, shown, price]) @ np.vstack([-2 * lit.sum(axis=1), 2 * weights.T, np.ones_like(lit[:, 0])])
    off += gloss * weights.sum(axis=1)
    off *= gloss
    off += squares
    off = off.reshape(len(LIGHTS), len(paints), len(faces))
    reach = 4 * (len(LEVELS) - 1) + 1
    rare = (0.5 * (UNEVEN / UNEVEN_SPREAD) ** 2).tolist()
    best = off[:reach:4] + rare[0]
    for j, price_of in enumerate(rare[1:], 1):
        np.minimum(best, off[3 * j : 3 * j + reach : 4] + price_of, out=best)
    return best
