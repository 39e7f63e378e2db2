"""Which of the scene's paints each piece has: all are named together, as one lamp lights them.

What a camera sees of a face is the lamp's colour times (an amount of the paint + an amount of gloss, which has the
lamp's own colour). Amounts differ from piece to piece, the lamp's colour does not.
"""

import numpy as np

CASTS = np.array(
    [(a, -a / 2 - b, -a / 2 + b) for a in np.linspace(-0.45, 0.45, 7) for b in np.linspace(-0.45, 0.45, 7)]
)
LEVELS = np.linspace(-2.4, 1.0, 18)  # logarithm of the light on a piece of average place
BRIGHT, BRIGHT_SPREAD = 0.2, 0.25  # levels above are rare, by so much, where a camera's exposure must not cut white off
UNEVEN = np.linspace(-0.6, 0.6, 9)  # and of how much more or less one piece gets
UNEVEN_SPREAD = 0.22
CAST_SPREAD = 0.22  # of lamps and white balances, in logarithms of light
GLOSS_SPREAD = 0.35  # of a face, in shares of the light on a white one
NOISE, FLOOR = 0.09, 0.012  # of light measured: a share of it, and an amount
ODD = 14.0  # cost above which a face is none of the paints and says nothing about the lamp
KINDRED = 4.0
LEAST_SAY = 0.01  # lamps of less say than that are left out where not all bodies looked for them
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
    least = np.minimum(costs.min(axis=-1), ODD) @ weights[asked]
    least = least + 0.5 * (CASTS**2).sum(axis=1)[:, None] / CAST_SPREAD**2
    shared = 1 + weights[asked].sum() / KINDRED  # faces under one lamp are off alike: ten are not ten witnesses
    odds = np.exp(-0.5 * TEMPER * (least - least.min()) / shared)  # lamps that explain nearly as much have a say
    if exposed_for_white:
        odds *= np.exp(-0.5 * (np.maximum(LEVELS - BRIGHT, 0) / BRIGHT_SPREAD) ** 2)
    odds /= odds.sum()
    if len(asked) < len(seen):
        likely = odds.sum(axis=1) > LEAST_SAY
        costs, odds = costs_under(CASTS[likely], seen, paints), odds[likely] / odds[likely].sum()
    mine = np.exp(-TEMPER * (costs - costs.min(axis=-1, keepdims=True)))
    return np.einsum("cl,clnk->nk", odds, mine / mine.sum(axis=-1, keepdims=True))


def costs_under(casts: np.ndarray, seen: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(casts, levels, n, k): as `cost_under`, for each cast."""
    return np.stack([cost_under(np.exp(cast), seen, paints) for cast in casts])


def cost_under(cast: np.ndarray, seen: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(levels, n, k): how badly each paint explains each face under a lamp of this colour, for each level of light."""
    faces = (seen / cast).astype(np.float32)
    amounts = np.exp(LEVELS[:, None] + UNEVEN[None]).astype(np.float32)[..., None, None]  # (levels, uneven, 1, 1)
    shown = np.minimum(amounts[..., None] * paints.T.astype(np.float32)[:, None], 1.0)  # (levels, uneven, 3, 1, k)
    rests = [faces[:, channel, None] - shown[:, :, channel] for channel in range(3)]  # each (levels, uneven, n, k)
    gloss = np.maximum(sum(rests) / 3, 0)
    off = gloss * (2 / (GLOSS_SPREAD * amounts))
    off += 0.5 * (UNEVEN / UNEVEN_SPREAD).astype(np.float32)[None, :, None, None] ** 2
    for channel, rest in enumerate(rests):
        rest -= gloss
        rest *= np.sqrt(np.float32(0.5)) / (NOISE * faces[:, channel, None] + FLOOR)
        rest *= rest
        off += rest
    return off.min(axis=1)
