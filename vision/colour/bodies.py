"""Names the body colours of dice, by a scene's own colours or by a few plain words."""

from collections.abc import Mapping, Sequence
from math import atan2, degrees, hypot

import cv2
import numpy as np

from vision.colour.paints import name_paints

LIGHTNESS_WEIGHT = 0.4  # Lamps change lightness more than hue; less forgives more light.
FLOOR = 40.0  # It is added to every channel before its logarithm, as dark bodies differ by noise, not by paint.
SAME_WORD = 0.4  # A distance counts less where body and paint have the same plain word; 1 allows for no lamp.
CAST_PRICE = 16.0  # A colour cast shared by all dice of a photo costs this against the distances it explains.
EXPOSURE_PRICE = 1.6
ODD_BODY = 0.3  # A body farther from all of the scene's colours has none of them and says nothing about the lamp.
DISTANCE_WEIGHT, WORD_BONUS = 2.0, 0.5  # Both count against the logarithm of a paint's chance.
LEAST_CHANCE = 1e-9
WITNESSES = 16  # The lamp is estimated by no more dice.
HUELESS_CHROMA = 18.0  # A body with less Lab chroma has no hue of its own.
CREAM_CHROMA = 24.0  # Bright bodies may have more: warm lamps and tinted plastic make white so yellow.
GREY_LEVELS, GREY_STEP = 2, 16  # A colourless picture's channels differ by no more, looked at in such steps.
# A hueless body with more Lab lightness (0..255) is white, one with less than the second is black.
BRIGHT, DARK = 140, 75

NOMINAL_RGB = {  # Tables without measured colours take the usual look of each name.
    "white": (235.0, 232.0, 225.0),
    "red": (185.0, 25.0, 35.0),
    "yellow": (235.0, 205.0, 60.0),
    "orange": (230.0, 115.0, 25.0),
    "green": (35.0, 125.0, 60.0),
    "blue": (35.0, 70.0, 165.0),
    "purple": (105.0, 50.0, 130.0),
    "black": (30.0, 30.0, 32.0),
    "grey": (128.0, 128.0, 128.0),
    "pink": (230.0, 120.0, 165.0),
}

HUES = (  # A name begins at its Lab hue in degrees.
    (-20.0, "red"),
    (48.0, "orange"),
    (68.0, "yellow"),
    (112.0, "green"),
    (222.0, "blue"),
    (310.0, "purple"),
    (338.0, "red"),
)


def bodies_bgr(upright_bgr: list[np.ndarray], face_share: float) -> np.ndarray:
    """(n, 3) body colours, without pips, of upright faces that span `face_share` of their crops (size, size, 3)."""
    if not upright_bgr:
        return np.zeros((0, 3), np.float32)
    size = upright_bgr[0].shape[0]
    reach = 0.45 * face_share * size
    low, high = int(size / 2 - reach), int(size / 2 + reach)
    faces = np.stack([crop[low:high:2, low:high:2] for crop in upright_bgr]).reshape(len(upright_bgr), -1, 3)
    planes = faces.transpose(0, 2, 1).astype(np.float32, order="C")  # (n, 3, pixels)
    everywhere = np.full((len(planes), 1), planes.shape[2])
    off = np.abs(planes - medians(planes, everywhere)[..., None]).max(axis=1)
    body = off <= medians(off, everywhere[:, 0])[:, None] + 1
    planes[np.broadcast_to(~body[:, None], planes.shape)] = np.inf
    return medians(planes, body.sum(axis=1)[:, None])


def median(values: np.ndarray) -> np.ndarray:
    """The median along the first axis; numpy's own takes four times as long for so few values."""
    ranked = np.sort(values, axis=0)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def medians(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Medians along the last axis over its `counts` least values; values to be ignored are infinite."""
    ranked = np.sort(values, axis=-1)
    low, high = (np.take_along_axis(ranked, at[..., None], axis=-1)[..., 0] for at in ((counts - 1) // 2, counts // 2))
    return (low + high) / 2


def lab(bgr: np.ndarray) -> np.ndarray:
    """(n, 3) BGR 0..255 → Lab: lightness 0..255, a and b around 0."""
    pixels = np.clip(bgr, 0, 255).astype(np.uint8).reshape(-1, 1, 3)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float32) - np.array([0, 128, 128])


def shows_paints(frame_bgr: np.ndarray, paints_rgb: np.ndarray) -> bool:
    """Whether a picture (h, w, 3) uint8 shows enough colour to tell paints (k, 3) apart.

    A picture without colours, as from an infrared camera, does not show the hue of any.
    """
    few = frame_bgr[::GREY_STEP, ::GREY_STEP]
    has_colours = bool((few.max(axis=2) - few.min(axis=2)).max() > GREY_LEVELS)
    return has_colours or bool(np.hypot(*lab(paints_rgb[:, ::-1])[:, 1:].T).max() < HUELESS_CHROMA)


def colour_casts() -> np.ndarray:
    """(n, 3) colour casts and exposures to try, as shifts of log red, green and blue."""
    steps, exposures = np.linspace(-0.5, 0.5, 7), np.linspace(-0.8, 0.8, 5)
    return np.array([(m + p - q / 2, m - p - q / 2, m + q) for m in exposures for p in steps for q in steps])


CASTS = colour_casts()


def name_colours(
    seen_bgr: Sequence[np.ndarray] | np.ndarray, colour_rgb: Mapping[str, tuple[float, float, float]] | None = None
) -> list[str | None]:
    """The name of each body of one photo: one of the scene's, or without a scene a plain word or None.

    All bodies are named together, as one lamp lights them. Two measures that err differently decide: amounts of light,
    paint and gloss (`vision.colour.paints`), and distances of logarithms, which allow for what light does to a worn
    die.
    """
    if not colour_rgb or not len(seen_bgr):
        return plain_names(seen_bgr)
    names, bodies = list(colour_rgb), np.array(seen_bgr)[:, ::-1]
    paints_rgb = np.array([colour_rgb[name] for name in names])
    words, own = plain_names(paints_rgb[:, ::-1]), plain_names(seen_bgr)
    same_word = np.array([[word == mine for word in words] for mine in own])
    likely = np.log(name_paints(bodies, paints_rgb, witnesses=WITNESSES) + LEAST_CHANCE)
    score = likely - DISTANCE_WEIGHT * distances(bodies, paints_rgb, same_word) + WORD_BONUS * same_word
    return [names[index] for index in score.argmax(axis=1)]


def distances(bodies_rgb: np.ndarray, paints_rgb: np.ndarray, same_word: np.ndarray) -> np.ndarray:
    """(n, k) distance of each body from each paint under the likeliest colour cast; less if both are the same word."""
    apart = np.log(bodies_rgb + FLOOR)[:, None] - np.log(paints_rgb + FLOOR)[None]  # (bodies, names, 3)
    off = apart[None] - CASTS[:, None, None]
    light = off.mean(axis=-1, keepdims=True)
    distance = ((off - light) ** 2).sum(axis=-1) + LIGHTNESS_WEIGHT * light[..., 0] ** 2
    distance *= np.where(same_word, SAME_WORD, 1)
    exposure = CASTS.mean(axis=1)
    price = CAST_PRICE * ((CASTS - exposure[:, None]) ** 2).sum(axis=1) + EXPOSURE_PRICE * exposure**2
    cast = int((np.minimum(distance.min(axis=-1), ODD_BODY).sum(axis=1) + price).argmin())
    return np.asarray(distance[cast])


def paints_in_use(
    colour_rgb: Mapping[str, tuple[float, float, float]], in_use: tuple[str, ...]
) -> Mapping[str, tuple[float, float, float]]:
    """The scene's colours; for names in use that it lacks, their usual looks and white."""
    lacking = [name for name in in_use if name not in colour_rgb and name in NOMINAL_RGB]
    if not colour_rgb or not lacking:
        return colour_rgb
    return {name: NOMINAL_RGB[name] for name in ("white", *lacking)} | dict(colour_rgb)


def plain_names(seen_bgr: Sequence[np.ndarray] | np.ndarray) -> list[str | None]:
    """The plain word for each colour."""
    return [plain_name(*body) for body in lab(np.array(seen_bgr)).tolist()] if len(seen_bgr) else []


def plain_name(light: float, a: float, b: float) -> str | None:
    """The plain word for a Lab colour, or None."""
    chroma = hypot(a, b)
    if light > BRIGHT and chroma < CREAM_CHROMA:
        return "white"
    if chroma < HUELESS_CHROMA:
        return "black" if light < DARK else "grey"
    hue = (degrees(atan2(b, a)) + 20) % 360 - 20
    return next(name for start, name in reversed(HUES) if hue >= start)
