"""Tells which of the scene's paints each piece has; all are named together, as one lamp lights them.

A camera sees a face as the lamp's colour times (an amount of the paint + an amount of gloss, which has the lamp's own
colour). Amounts differ from piece to piece, the lamp's colour does not. `name_paints` uses the usual amounts;
`name_pieces`, for pieces whose paints were measured, learns the amounts from the pieces of the picture.
"""

import numpy as np

CASTS = np.array(
    [(a, -a / 2 - b, -a / 2 + b) for a in np.linspace(-0.45, 0.45, 7) for b in np.linspace(-0.45, 0.45, 7)]
)
# These logarithms of the light on a piece are so fine that levels and UNEVEN are among them.
LIGHTS = np.linspace(-3.0, 1.6, 93)
STEP, FIRST_LEVEL, LEVEL_STEP = LIGHTS[1] - LIGHTS[0], 12, 4  # Each level has lights on both sides.
LEVELS = LIGHTS[FIRST_LEVEL:-FIRST_LEVEL:LEVEL_STEP]  # A piece in an average place has such light.
BRIGHT, BRIGHT_SPREAD = 0.2, 0.25  # Exposure must not clip white, so higher levels are rare, with this spread.
UNEVEN = np.linspace(-0.6, 0.6, 9)  # One piece gets so much more or less, in steps of three LIGHTS.
UNEVEN_SPREAD = 0.22
CAST_SPREAD = 0.22  # Lamps and white balances spread so far, in logarithms of light.
GLOSS_SPREAD = 0.35  # The gloss on a face spreads so far, as a share of the light on a white one.
NOISE, FLOOR = 0.09, 0.012  # Measured light is off by this share of it and this constant.
Floor = float | np.ndarray  # It is one for all colours, or (3,).
ODD = 14.0  # A face that costs more has none of the paints and says nothing about the lamp.
FACES_A_WITNESS = 4.0  # Faces under one lamp err alike, so that so many count as one.
# A lamp counts with this probability by a part of the bodies, and with the second by all.
LEAST_WEIGHT, NO_WEIGHT = 0.01, 1e-8
BATCH = 120_000  # More costs at once overflow the processor's cache.

WITNESSES = 32  # More pieces take time and are lit alike.
LAMPS = 24  # Pieces are named under the likeliest; fewer make it too sure of photographs.
OFFSETS = np.arange(-46, 15, 2)  # The light on a piece lies so many steps of LIGHTS from the lamp's level.
SHADED, SHADE = 0.1, (-2.2, -0.3)  # This share of the pieces lies in a shadow, with light in this range.
ALIKE_LIGHT = 0.08  # The light on the pieces of one picture spreads so far.
USUAL_LIGHT, USUAL_GLOSS = 3.0, 2.0  # The usual value counts for so many pieces beside those of the picture.
# Gloss averages no less and is never more, as a share of the light on a white face.
LEAST_GLOSS, MOST_GLOSS = 0.02, 2.0
ROUNDS = 2  # The light and gloss are learned in so many rounds.
STRONG_TINT = 0.5  # CASTS and lamps of homes tint the brightest places no more.
BRIGHTEST, TINT_STEP = 99.5, 6  # This percentile is the brightest, among samples so many px apart.
FAINT = 0.003  # A lamp that lacks a colour gives so little light of it, and noise: nobody sees that colour then.


def linear(rgb: np.ndarray) -> np.ndarray:
    """Colours 0..255 as amounts of light 0..1."""
    return (np.clip(rgb, 0, 255) / 255) ** 2.2


def name_paints(bodies_rgb: np.ndarray, paints_rgb: np.ndarray, witnesses: int | None = None) -> np.ndarray:
    """(n, k) probabilities of the paints (k, 3) for the colours seen (n, 3).

    witnesses  most bodies by which the lamp is estimated, as this takes most of the time
    """
    bodies, paints = linear(bodies_rgb), linear(paints_rgb)
    witness = np.arange(len(bodies))
    if witnesses is not None and len(bodies) > witnesses:
        witness = np.linspace(0, len(bodies) - 1, witnesses).astype(int)
    costs = costs_under(CASTS, bodies[witness], paints)
    log_odds = lamp_log_odds(costs, np.ones(len(witness)))
    odds = np.exp(log_odds - log_odds.max())
    odds /= odds.sum()
    if len(witness) < len(bodies):
        likely = odds.sum(axis=1) > LEAST_WEIGHT
        costs, odds = costs_under(CASTS[likely], bodies, paints), odds[likely] / odds[likely].sum()
    likely_lamps = odds > NO_WEIGHT
    costs, odds = costs[likely_lamps], odds[likely_lamps] / odds[likely_lamps].sum()
    mine = np.exp(costs.min(axis=1, keepdims=True) - costs)
    return np.einsum("l,lkn->nk", odds, mine / mine.sum(axis=1, keepdims=True))


def name_pieces(
    bodies_rgb: np.ndarray, paints_rgb: np.ndarray, weights: np.ndarray, tint: np.ndarray | None = None
) -> np.ndarray:
    """(n, k) probabilities as by `name_paints`, for the tops of a board's pieces, whose paints were measured.

    A body that has none of the paints under the likeliest lamp has each alike.

    weights  (n,) how much each body counts for the lamp, the light and the gloss
    tint     (3,) the lamp's colour by the picture's brightest places, see `tint_of`. A strong one may be the lamp's or
             that of a table without anything white: lamps near both count by how well they explain the bodies
    """
    bodies, paints = linear(bodies_rgb), linear(paints_rgb)
    options = [names_near(bodies, paints, weights)]
    if tint is not None and np.abs(tint).max() > STRONG_TINT:
        options.append(names_near((bodies + FAINT) / np.exp(tint), paints, weights, FLOOR + FAINT / np.exp(tint)))
    log_odds, chances = (np.array(part) for part in zip(*options, strict=True))
    odds = np.exp(log_odds - log_odds.max())
    return np.asarray(np.tensordot(odds / odds.sum(), chances, axes=1))


def names_near(
    bodies: np.ndarray, paints: np.ndarray, weights: np.ndarray, floor: Floor = FLOOR
) -> tuple[float, np.ndarray]:
    """The log odds of the likeliest usual lamp, and the (n, k) probabilities of the paints (k, 3) under such lamps.

    bodies   (n, 3) as light
    weights  (n,) how much each counts
    floor    constant part of the noise in red, green and blue
    """
    # They go from dark to light, so that each paint has its witnesses.
    witness = np.argsort(bodies.sum(axis=1), kind="stable")
    witness = witness[np.linspace(0, len(bodies) - 1, min(len(bodies), WITNESSES)).astype(int)]
    shares = weights[witness] * (weights.sum() / max(float(weights[witness].sum()), NO_WEIGHT))
    odds = lamp_log_odds(costs_under(CASTS, bodies[witness], paints, floor), shares)
    odds -= 0.5 * (np.maximum(LEVELS - BRIGHT, 0) / BRIGHT_SPREAD) ** 2
    likeliest = np.argsort(-odds, axis=None, kind="stable")[:LAMPS]
    casts, levels = np.unravel_index(likeliest, odds.shape)
    chances = paint_chances(casts, levels, bodies, paints, weights.astype(np.float32), floor)
    odds_of_lamps = np.exp(odds.ravel()[likeliest] - odds.max())
    named = np.minimum(np.einsum("l,lkn->nk", odds_of_lamps / odds_of_lamps.sum(), chances), 1.0)  # Sums may round up.
    odd = costs_under(CASTS[casts[:1]], bodies, paints, floor)[0].min(axis=(0, 1)) > ODD
    named[odd] = 1 / len(paints)  # It may lie in a deep shadow.
    return float(odds.max()), named


def tint_of(frame_bgr: np.ndarray) -> np.ndarray:
    """(3,) logarithms of red, green and blue in the brightest places of a frame (h, w, 3) uint8, their mean taken off.

    Whatever is white there has the lamp's colour, and nothing is brighter.
    """
    few = frame_bgr[::TINT_STEP, ::TINT_STEP].reshape(-1, 3)
    brightest = np.log(linear(np.percentile(few, BRIGHTEST, axis=0)[::-1]) + FAINT)
    return np.asarray(brightest - brightest.mean())


def lamp_log_odds(costs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(casts, levels) log odds of each lamp.

    costs    (casts, levels, k, n) of the bodies under it, see `costs_under`
    weights  (n,) how much each body counts
    """
    least = np.minimum(costs.min(axis=2), ODD) @ weights
    least += 0.5 * (CASTS**2).sum(axis=1)[:, None] / CAST_SPREAD**2
    shared = 1 + weights.sum() / FACES_A_WITNESS  # Faces under one lamp are off alike: ten are not ten witnesses.
    return np.asarray(-0.5 * least / shared)  # Lamps that explain nearly as much also count.


def paint_chances(
    casts: np.ndarray, levels: np.ndarray, bodies: np.ndarray, paints: np.ndarray, weights: np.ndarray, floor: Floor
) -> np.ndarray:
    """(l, k, n) probabilities of the paints (k, 3) of n bodies under each of l lamps.

    The light and gloss on a piece are learned from all others: mostly they are alike, and shaded pieces are mostly
    shaded alike.

    casts, levels   (l,) indices of the lamps in CASTS and LEVELS
    bodies          (n, 3) as light 0..1
    weights         (n,) how much each body counts
    floor           constant part of the noise
    """
    faces = (bodies / np.exp(CASTS[casts])[:, None]).astype(np.float32).reshape(-1, 3)
    shape = len(LIGHTS), len(paints), len(casts), len(bodies)
    at = FIRST_LEVEL + LEVEL_STEP * levels[:, None] + OFFSETS  # (l, offsets)
    inside, lamps = np.clip(at, 0, len(LIGHTS) - 1), np.arange(len(casts))[:, None]
    paint_light = light_of_paints(paints)
    gloss = gloss_of(faces, paint_light)
    costs = squares_of(faces, paint_light, gloss, floor).reshape(shape)[inside, :, lamps]  # (l, offsets, k, n)
    costs[inside != at] = np.inf
    shine = gloss.reshape(shape)[inside, :, lamps] / np.exp(LIGHTS[inside]).astype(np.float32)[..., None, None]
    lights = np.broadcast_to(USUAL_OFFSETS[:, None], (len(casts), len(OFFSETS), len(bodies)))
    glossy = np.full((len(casts), len(bodies)), GLOSS_SPREAD / 2, np.float32)
    for turn in range(ROUNDS + 1):
        odds = costs + shine / glossy[:, None, None]
        odds = np.exp(odds.min(axis=(1, 2), keepdims=True) - odds) * lights[:, :, None]
        odds /= odds.sum(axis=(1, 2), keepdims=True)
        if turn < ROUNDS:
            shares = odds * weights
            lights = expected_from_others(USUAL_OFFSETS[:, None], LIKENESS @ shares.sum(axis=2), weights, USUAL_LIGHT)
            shone = (shares * np.minimum(shine, MOST_GLOSS)).sum(axis=(1, 2))
            glossy = np.maximum(expected_from_others(GLOSS_SPREAD / 2, shone, weights, USUAL_GLOSS), LEAST_GLOSS)
    return np.asarray(odds.sum(axis=1))


def expected_from_others(
    usual: np.ndarray | float, weighed_values: np.ndarray, weights: np.ndarray, usual_weight: float
) -> np.ndarray:
    """(…, n) the value expected for each of n bodies from those of all others and the usual one.

    usual           one number or (…, 1)
    weighed_values  (…, n) of them
    """
    others = weighed_values.sum(axis=-1, keepdims=True) - weighed_values
    return np.asarray((usual_weight * usual + others) / (usual_weight + weights.sum() - weights), np.float32)


def usual_offsets() -> np.ndarray:
    """(offsets,) probability that a piece gets so much more or less light than the lamp's level."""
    lights = OFFSETS * STEP
    even = np.exp(-0.5 * (lights / UNEVEN_SPREAD) ** 2)
    shaded = (lights >= SHADE[0]) & (lights <= SHADE[1])
    return np.asarray((1 - SHADED) * even / even.sum() + SHADED * shaded / shaded.sum(), np.float32)


def light_likeness() -> np.ndarray:
    """(offsets, offsets) how much likelier one piece's light makes each light on another."""
    near = np.exp(-0.5 * (np.subtract.outer(OFFSETS, OFFSETS) * STEP / ALIKE_LIGHT) ** 2)
    return np.asarray(near / near.sum(axis=0), np.float32)


USUAL_OFFSETS, LIKENESS = usual_offsets(), light_likeness()


def costs_under(casts: np.ndarray, bodies: np.ndarray, paints: np.ndarray, floor: Floor = FLOOR) -> np.ndarray:
    """(casts, levels, k, n) how badly each paint explains each face under a lamp of each colour and level."""
    faces = (bodies / np.exp(casts)[:, None]).astype(np.float32)  # (casts, n, 3)
    step = max(1, BATCH // max(1, len(LIGHTS) * len(paints) * len(bodies)))
    batches = (faces[start : start + step] for start in range(0, len(casts), step))
    shape = len(LEVELS), len(paints), len(casts), len(bodies)
    costs = np.concatenate([costs_of(part.reshape(-1, 3), paints, floor) for part in batches], axis=2)
    return np.moveaxis(costs.reshape(shape), 2, 0)


def costs_of(faces: np.ndarray, paints: np.ndarray, floor: Floor) -> np.ndarray:
    """(levels, k, n) the same for faces (n, 3) under a colourless lamp."""
    paint_light = light_of_paints(paints)
    gloss = gloss_of(faces, paint_light)
    off = squares_of(faces, paint_light, gloss, floor)
    gloss *= np.repeat(2 / (GLOSS_SPREAD * np.exp(LIGHTS).astype(np.float32)), len(paints))[:, None]
    off += gloss
    off = off.reshape(len(LIGHTS), len(paints), len(faces))
    reach = LEVEL_STEP * (len(LEVELS) - 1) + 1
    rare = (0.5 * (UNEVEN / UNEVEN_SPREAD) ** 2).tolist()
    best = off[:reach:LEVEL_STEP] + rare[0]
    for j, price_of in enumerate(rare[1:], 1):
        np.minimum(best, off[3 * j : 3 * j + reach : LEVEL_STEP] + price_of, out=best)
    return best


def light_of_paints(paints: np.ndarray) -> np.ndarray:
    """(lights · k, 3) each paint in each light as a camera sees it, without gloss."""
    amounts = np.exp(LIGHTS).astype(np.float32)
    return np.asarray(np.minimum(amounts[:, None, None] * paints.astype(np.float32), 1.0).reshape(-1, 3))


def gloss_of(faces: np.ndarray, paint_light: np.ndarray) -> np.ndarray:
    """(m, n) the gloss on faces (n, 3), an amount of light: the mean of what paint's light (m, 3) does not explain."""
    return np.maximum(faces.mean(axis=1) - paint_light.mean(axis=1)[:, None], 0)


def squares_of(faces: np.ndarray, paint_light: np.ndarray, gloss: np.ndarray, floor: Floor) -> np.ndarray:
    """(m, n) squared error of faces (n, 3) against light of paints (m, 3) and gloss (m, n).

    It is Σ w² (rest - gloss)², split so that matrix products give its sums over the three colours.
    """
    ones = np.ones((len(paint_light), 1), np.float32)
    weights = 0.5 / (NOISE * faces + np.asarray(floor, np.float32)) ** 2
    lit = weights * faces
    off = np.hstack([ones, paint_light]) @ np.vstack([-2 * lit.sum(axis=1), 2 * weights.T])
    off += gloss * weights.sum(axis=1)
    off *= gloss
    off += np.hstack([ones, paint_light, paint_light**2]) @ np.vstack(
        [(lit * faces).sum(axis=1), -2 * lit.T, weights.T]
    )
    return np.asarray(off)
