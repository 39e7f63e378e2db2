"""Which of the scene's paints each piece has: all are named together, as one lamp lights them.

What a camera sees of a face is the lamp's colour times (an amount of the paint + an amount of gloss, which has the
lamp's own colour). Amounts differ from piece to piece, the lamp's colour does not. `name_paints` goes by what amounts
are usual; `name_pieces`, for pieces whose paints were measured, learns them from the pieces of the picture.
"""

import numpy as np

CASTS = np.array(
    [(a, -a / 2 - b, -a / 2 + b) for a in np.linspace(-0.45, 0.45, 7) for b in np.linspace(-0.45, 0.45, 7)]
)
LIGHTS = np.linspace(-3.0, 1.6, 93)  # logarithms of the light on any piece, so close that levels and UNEVEN share them
STEP, FIRST_LEVEL, LEVEL_STEP = LIGHTS[1] - LIGHTS[0], 12, 4  # so that each level has lights on both sides
LEVELS = LIGHTS[FIRST_LEVEL:-FIRST_LEVEL:LEVEL_STEP]  # of the light on a piece of average place
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

LAMPS = 24  # the likeliest, under which pieces are named: with fewer it is too sure of photographs
OFFSETS = np.arange(-46, 15, 2)  # steps of LIGHTS from the lamp's level to the light on a piece
SHADED, SHADE = 0.1, (-2.2, -0.3)  # share of pieces that lie in a shadow, and how little light they get there
ALIKE_LIGHT = 0.08  # pieces of one picture are lit alike within so much
USUAL_LIGHT, USUAL_GLOSS = 3.0, 2.0  # pieces that what is usual counts for, beside those of the picture
LEAST_GLOSS, MOST_GLOSS = 0.02, 2.0  # on average, and of any one, in shares of the light on a white one
ROUNDS = 2  # of learning


def linear(rgb: np.ndarray) -> np.ndarray:
    """Colours 0..255 as amounts of light 0..1."""
    return (np.clip(rgb, 0, 255) / 255) ** 2.2


def name_paints(bodies_rgb: np.ndarray, paints_rgb: np.ndarray, witnesses: int | None = None) -> np.ndarray:
    """(n, 3) colours seen and (k, 3) paints → (n, k) probabilities.

    witnesses  the lamp is looked for by so many bodies at most, if they are more: it takes most of the time
    """
    seen, paints = linear(bodies_rgb), linear(paints_rgb)
    asked = np.arange(len(seen))
    if witnesses is not None and len(seen) > witnesses:
        asked = np.linspace(0, len(seen) - 1, witnesses).astype(int)
    costs = costs_under(CASTS, seen[asked], paints)
    odds = np.exp(lamps_by(costs, np.ones(len(asked))))
    odds /= odds.sum()
    if len(asked) < len(seen):
        likely = odds.sum(axis=1) > LEAST_SAY
        costs, odds = costs_under(CASTS[likely], seen, paints), odds[likely] / odds[likely].sum()
    heard = odds > NO_SAY
    costs, odds = costs[heard], odds[heard] / odds[heard].sum()
    mine = np.exp(costs.min(axis=1, keepdims=True) - costs)
    return np.einsum("l,lkn->nk", odds, mine / mine.sum(axis=1, keepdims=True))


def name_pieces(bodies_rgb: np.ndarray, paints_rgb: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The same for the tops of a board's pieces, whose paints were measured; white lies about.

    weights  (n,) how much each body counts where the lamp, the light and the gloss are looked for
    """
    seen, paints = linear(bodies_rgb), linear(paints_rgb)
    odds = lamps_by(costs_under(CASTS, seen, paints), weights)
    odds -= 0.5 * (np.maximum(LEVELS - BRIGHT, 0) / BRIGHT_SPREAD) ** 2
    likeliest = np.argsort(-odds, axis=None, kind="stable")[:LAMPS]
    casts, levels = np.unravel_index(likeliest, odds.shape)
    chances = named_under(casts, levels, seen, paints, weights.astype(np.float32))
    heard = np.exp(odds.ravel()[likeliest] - odds.max())
    return np.minimum(np.einsum("l,lkn->nk", heard / heard.sum(), chances), 1.0)  # sums may round up


def lamps_by(costs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(casts, levels) logarithms of how likely each lamp is by what bodies cost under it, (casts, levels, k, n), each
    counting by its weight (n,)."""
    least = np.minimum(costs.min(axis=2), ODD) @ weights
    least += 0.5 * (CASTS**2).sum(axis=1)[:, None] / CAST_SPREAD**2
    shared = 1 + weights.sum() / KINDRED  # faces under one lamp are off alike: ten are not ten witnesses
    return np.asarray(-0.5 * (least - least.min()) / shared)  # lamps that explain nearly as much have a say


def named_under(
    casts: np.ndarray, levels: np.ndarray, seen: np.ndarray, paints: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """(l, k, n) probabilities of the paints (k, 3) of n bodies seen (n, 3), as light 0..1, under each of l lamps, of
    CASTS and LEVELS (l,); each body counts by its weight (n,).

    How a piece is lit and how it shines is learned from all others: mostly alike, and what lies in a shadow is mostly
    shaded as others are.
    """
    faces = (seen / np.exp(CASTS[casts])[:, None]).astype(np.float32).reshape(-1, 3)
    shape = len(LIGHTS), len(paints), len(casts), len(seen)
    at = FIRST_LEVEL + LEVEL_STEP * levels[:, None] + OFFSETS  # (l, offsets)
    inside, lamps = np.clip(at, 0, len(LIGHTS) - 1), np.arange(len(casts))[:, None]
    shown = shown_of(paints)
    gloss = gloss_of(faces, shown)
    costs = squares_of(faces, shown, gloss).reshape(shape)[inside, :, lamps]  # (l, offsets, k, n)
    costs[inside != at] = np.inf
    shine = gloss.reshape(shape)[inside, :, lamps] / np.exp(LIGHTS[inside]).astype(np.float32)[..., None, None]
    lit = np.broadcast_to(USUAL_OFFSETS[:, None], (len(casts), len(OFFSETS), len(seen)))
    glossy = np.full((len(casts), len(seen)), GLOSS_SPREAD / 2, np.float32)
    for turn in range(ROUNDS + 1):
        odds = costs + shine / glossy[:, None, None]
        odds = np.exp(odds.min(axis=(1, 2), keepdims=True) - odds) * lit[:, :, None]
        odds /= odds.sum(axis=(1, 2), keepdims=True)
        if turn < ROUNDS:
            told = odds * weights
            lit = learned(USUAL_OFFSETS[:, None], ALIKE @ told.sum(axis=2), weights, USUAL_LIGHT)
            shone = (told * np.minimum(shine, MOST_GLOSS)).sum(axis=(1, 2))
            glossy = np.maximum(learned(GLOSS_SPREAD / 2, shone, weights, USUAL_GLOSS), LEAST_GLOSS)
    return np.asarray(odds.sum(axis=1))


def learned(usual: np.ndarray | float, shown: np.ndarray, weights: np.ndarray, say: float) -> np.ndarray:
    """(…, n) what is expected of each of n bodies by what all others have shown (…, n), beside what is usual, which is
    one number or (…, 1)."""
    others = shown.sum(axis=-1, keepdims=True) - shown
    return np.asarray((say * usual + others) / (say + weights.sum() - weights), np.float32)


def usual_offsets() -> np.ndarray:
    """(offsets,) how probably a piece gets so much more or less light than the lamp's level says."""
    lights = OFFSETS * STEP
    even = np.exp(-0.5 * (lights / UNEVEN_SPREAD) ** 2)
    shaded = (lights >= SHADE[0]) & (lights <= SHADE[1])
    return np.asarray((1 - SHADED) * even / even.sum() + SHADED * shaded / shaded.sum(), np.float32)


def alike() -> np.ndarray:
    """(offsets, offsets) by how much one piece's light makes each light on another likelier."""
    near = np.exp(-0.5 * (np.subtract.outer(OFFSETS, OFFSETS) * STEP / ALIKE_LIGHT) ** 2)
    return np.asarray(near / near.sum(axis=0), np.float32)


USUAL_OFFSETS, ALIKE = usual_offsets(), alike()


def costs_under(casts: np.ndarray, seen: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(casts, levels, k, n): how badly each paint explains each face under a lamp of each colour and level of light."""
    faces = (seen / np.exp(casts)[:, None]).astype(np.float32)  # (casts, n, 3)
    step = max(1, AT_ONCE // max(1, len(LIGHTS) * len(paints) * len(seen)))
    some = (faces[start : start + step] for start in range(0, len(casts), step))
    shape = len(LEVELS), len(paints), len(casts), len(seen)
    costs = np.concatenate([costs_of(part.reshape(-1, 3), paints) for part in some], axis=2)
    return np.moveaxis(costs.reshape(shape), 2, 0)


def costs_of(faces: np.ndarray, paints: np.ndarray) -> np.ndarray:
    """(levels, k, n): the same of faces (n, 3) under a lamp without a colour."""
    shown = shown_of(paints)
    gloss = gloss_of(faces, shown)
    off = squares_of(faces, shown, gloss)
    gloss *= np.repeat(2 / (GLOSS_SPREAD * np.exp(LIGHTS).astype(np.float32)), len(paints))[:, None]
    off += gloss
    off = off.reshape(len(LIGHTS), len(paints), len(faces))
    reach = LEVEL_STEP * (len(LEVELS) - 1) + 1
    rare = (0.5 * (UNEVEN / UNEVEN_SPREAD) ** 2).tolist()
    best = off[:reach:LEVEL_STEP] + rare[0]
    for j, price_of in enumerate(rare[1:], 1):
        np.minimum(best, off[3 * j : 3 * j + reach : LEVEL_STEP] + price_of, out=best)
    return best


def shown_of(paints: np.ndarray) -> np.ndarray:
    """(lights · k, 3): what a camera sees of each paint in each light, without gloss."""
    amounts = np.exp(LIGHTS).astype(np.float32)
    return np.asarray(np.minimum(amounts[:, None, None] * paints.astype(np.float32), 1.0).reshape(-1, 3))


def gloss_of(faces: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """(m, n): the gloss on faces (n, 3), an amount of light, where so much (m, 3) of a paint is shown: the mean of what
    that leaves over."""
    return np.maximum(faces.mean(axis=1) - shown.mean(axis=1)[:, None], 0)


def squares_of(faces: np.ndarray, shown: np.ndarray, gloss: np.ndarray) -> np.ndarray:
    """(m, n): by how much faces (n, 3) are off what is shown (m, 3) of paints, and gloss (m, n).

    Σ w² (rest - gloss)², taken apart so that products of matrices give its sums over the three colours.
    """
    one = np.ones((len(shown), 1), np.float32)
    weights = 0.5 / (NOISE * faces + FLOOR) ** 2
    lit = weights * faces
    off = np.hstack([one, shown]) @ np.vstack([-2 * lit.sum(axis=1), 2 * weights.T])
    off += gloss * weights.sum(axis=1)
    off *= gloss
    off += np.hstack([one, shown, shown**2]) @ np.vstack([(lit * faces).sum(axis=1), -2 * lit.T, weights.T])
    return np.asarray(off)
