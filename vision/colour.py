"""The name of a die's body colour, from a scene's own colours or from a few plain words."""

from collections.abc import Mapping

import cv2
import numpy as np

LIGHTNESS_WEIGHT = 0.45  # light changes with every lamp, hue hardly: the less, the more light is forgiven
HUELESS_CHROMA = 18.0  # Lab chroma below which a body has no hue of its own
CREAM_CHROMA = 24.0  # the same for bright bodies: warm lamps and tinted plastic make white that yellow
BRIGHT, DARK = 140, 75  # Lab lightness (0..255) above which a hueless body is white, below which black

NOMINAL_RGB = {  # how the named colours usually look, for tables that state none of their own
    "white": (235.0, 232.0, 225.0),
    "red": (185.0, 25.0, 35.0),
    "yellow": (235.0, 205.0, 60.0),
    "orange": (230.0, 115.0, 25.0),
    "green": (35.0, 125.0, 60.0),
    "blue": (35.0, 70.0, 165.0),
    "purple": (105.0, 50.0, 130.0),
    "black": (30.0, 30.0, 32.0),
    "grey": (128.0, 128.0, 128.0),
}

HUES = (  # Lab hue in degrees: from, name
    (-20.0, "red"),
    (48.0, "orange"),
    (68.0, "yellow"),
    (112.0, "green"),
    (222.0, "blue"),
    (310.0, "purple"),
    (338.0, "red"),
)


def body_bgr(upright_bgr: np.ndarray, face_share: float) -> np.ndarray:
    """Colour of the body on an upright face that spans `face_share` of the crop; pips are left out."""
    size = upright_bgr.shape[0]
    reach = 0.45 * face_share * size
    low, high = int(size / 2 - reach), int(size / 2 + reach)
    pixels = upright_bgr[low:high, low:high].reshape(-1, 3).astype(np.float32)
    middle = np.median(pixels, axis=0)
    close = np.abs(pixels - middle).max(axis=1)
    return np.median(pixels[close <= np.median(close) + 1], axis=0)


def lab(bgr: np.ndarray) -> np.ndarray:
    """(n, 3) BGR 0..255 → lightness 0..255 and a, b around 0."""
    pixels = np.clip(bgr, 0, 255).astype(np.uint8).reshape(-1, 1, 3)
    return cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB).reshape(-1, 3).astype(np.float32) - np.array([0, 128, 128])


def name_colour(bgr: np.ndarray, colour_rgb: Mapping[str, tuple[float, float, float]] | None = None) -> str | None:
    """One of the scene's names, or without them a plain word, or None where the colour lies between."""
    return nearest(bgr, colour_rgb) if colour_rgb else plain_name(bgr)


def nearest(bgr: np.ndarray, colour_rgb: Mapping[str, tuple[float, float, float]]) -> str:
    names = list(colour_rgb)
    table = lab(np.array([colour_rgb[name][::-1] for name in names]))
    seen = lab(bgr)[0]
    weights = np.array([LIGHTNESS_WEIGHT, 1.0, 1.0])
    return names[int(np.linalg.norm((table - seen) * weights, axis=1).argmin())]


def plain_name(bgr: np.ndarray) -> str | None:
    light, a, b = lab(bgr)[0]
    chroma = float(np.hypot(a, b))
    if light > BRIGHT and chroma < CREAM_CHROMA:
        return "white"
    if chroma < HUELESS_CHROMA:
        return "black" if light < DARK else "grey"
    hue = (float(np.degrees(np.arctan2(b, a))) + 20) % 360 - 20
    return next(name for start, name in reversed(HUES) if hue >= start)
