"""Hands over tables, and what is no hand: drawn by chance from a seed, to measure what is read beneath them.

`python -m tests.vision.hands [SEED [COUNT]]` prints the counts. Nothing here is a photograph; hands are drawn flat, in
the sizes and colours of hands and sleeves, and held more still than a living one can be.
"""

import sys
from collections import Counter
from dataclasses import dataclass

import cv2
import numpy as np

from companion.game.readings import DiceReading, DieReading
from vision.cameras.camera import Frame
from vision.virtual.painter import bare_table
from vision.watch.watch import Watch

FRAME_US = 33_333
SIZES_PX = ((640, 480), (1280, 720))
NOISE_LEVELS, JPEG_QUALITY = 2.0, 85
IN_TIME_US = 150_000  # of the 250 ms from rest to reading; the rest is the reader's
PARTS = (0.025, 0.04)  # of the picture; a hand of which less is in view is as large as a die seen close

PLAIN_BGR = {
    "oak": (95, 140, 180),
    "walnut": (45, 66, 92),
    "green felt": (60, 95, 40),
    "blue felt": (120, 70, 40),
    "black felt": (32, 30, 30),
    "white": (222, 226, 228),
}
TABLES = ("mat", *PLAIN_BGR)
SKINS_BGR = ((170, 195, 232), (140, 170, 218), (105, 140, 190), (75, 105, 155), (50, 72, 112), (38, 48, 72))
SLEEVES_BGR = {
    "none": None,
    "black": (28, 26, 26),
    "charcoal": (52, 48, 46),
    "white": (226, 228, 228),
    "grey": (128, 128, 126),
    "navy": (74, 44, 32),
    "denim": (140, 100, 72),
    "red": (48, 40, 160),
    "wood brown": (70, 100, 140),
}
DICE_BGR = ((232, 238, 240), (38, 34, 190), (40, 200, 240), (180, 90, 30), (38, 36, 36), (70, 140, 40))
REACHES_MM = {"fingers": (45, 110), "hand": (130, 210), "forearm": (240, 380)}


@dataclass(frozen=True, eq=False)
class Layer:
    """Something over the table: what it looks like and where it is, as large as the picture."""

    bgr: np.ndarray  # (h, w, 3) float32
    alpha: np.ndarray  # (h, w) float32, 0..1
    shade_px: float = 0.0  # how far its shadow falls


@dataclass(frozen=True)
class Die:
    """A die as it is drawn: middle and edge in pixels."""

    x: float
    y: float
    edge_px: float
    angle_deg: float
    bgr: tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A hand as it was drawn over a table, and of what kind it is."""

    layer: Layer
    inward: np.ndarray  # (2,) the way it reaches
    part: float  # of the picture that it covers


# what is drawn


def table_picture(name: str, size_px: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """The bare table: (h, w, 3) float32."""
    width, height = size_px
    if name == "mat":
        whole = bare_table(random)
        cut = round((whole.shape[0] - whole.shape[1] * height / width) / 2)
        return cv2.resize(whole[cut : whole.shape[0] - cut], size_px, interpolation=cv2.INTER_AREA).astype(np.float32)
    base = np.array(PLAIN_BGR[name], np.float32) * random.uniform(0.85, 1.1)
    down, right = np.mgrid[0:height, 0:width].astype(np.float32)
    if name in ("oak", "walnut"):
        fibre = cv2.resize(random.normal(0, 1, (height, 16)).astype(np.float32), size_px, interpolation=cv2.INTER_CUBIC)
        grain = 1 + 0.06 * cv2.GaussianBlur(fibre, (0, 0), 1.5) + 0.04 * np.sin(down / height * random.uniform(40, 90))
    else:
        grain = 1 + 0.03 * cv2.GaussianBlur(random.normal(0, 1, (height, width)).astype(np.float32), (0, 0), 0.8)
    x, y = random.uniform(0.2, 0.8, 2)
    lamp = 1.1 - random.uniform(0.1, 0.4) * np.hypot(right / width - x, down / height - y) ** 1.5
    return np.clip(base * (grain * lamp)[..., None], 0, 255).astype(np.float32)


def hand(size_px: tuple[int, int], table: np.ndarray, random: np.random.Generator) -> Drawn:
    """A hand, bare or sleeved, that reaches in over an edge of the picture."""
    reach, sleeve = str(random.choice(list(REACHES_MM))), str(random.choice(list(SLEEVES_BGR)))
    skin = np.array(SKINS_BGR[random.integers(len(SKINS_BGR))], np.float32)
    if random.random() < 0.35:  # as bright as the table
        skin *= np.clip(grey_of(np.median(table, axis=(0, 1))) / grey_of(skin), 0.4, 1.3)
    width, height = size_px
    px_per_mm = width / random.uniform(420, 800)
    tip = np.array([random.uniform(0.2, 0.8) * width, random.uniform(0.2, 0.8) * height])
    side = random.integers(4)
    inward = np.array([(0, 1), (0, -1), (1, 0), (-1, 0)][side], float)
    edge = tip * np.abs(inward[::-1]) + np.array([(0, 0), (0, height), (0, 0), (width, 0)][side], float)
    inward = turned(inward, random.uniform(-25, 25))
    tip = edge + inward * random.uniform(*REACHES_MM[reach]) * px_per_mm
    bgr = np.zeros((height, width, 3), np.float32)
    alpha = np.zeros((height, width), np.uint8)
    draw_arm(bgr, alpha, tip, inward, px_per_mm, skin, SLEEVES_BGR[sleeve], random)
    soft = cv2.GaussianBlur(alpha.astype(np.float32) / 255, (0, 0), 0.7)
    layer = Layer(cv2.GaussianBlur(bgr, (0, 0), 0.7), soft, random.uniform(4, 25) * px_per_mm)
    return Drawn(layer, inward, float(soft.mean()))


def draw_arm(
    bgr: np.ndarray,
    alpha: np.ndarray,
    tip: np.ndarray,
    inward: np.ndarray,
    px_per_mm: float,
    skin: np.ndarray,
    sleeve: tuple[int, int, int] | None,
    random: np.random.Generator,
) -> None:
    """Arm, palm, thumb and fingers, each rounded by shading its sides."""
    across = inward[::-1] * (-1, 1)
    mirrored = across * random.choice([-1, 1])
    wrist, knuckles = tip - inward * 175 * px_per_mm, tip - inward * 85 * px_per_mm
    behind = wrist - inward * 900 * px_per_mm
    limb(bgr, alpha, behind, wrist, 62 * px_per_mm, skin)
    limb(bgr, alpha, wrist + inward * 25 * px_per_mm, knuckles - inward * 20 * px_per_mm, 80 * px_per_mm, skin)
    thumb = wrist + inward * 60 * px_per_mm + mirrored * 60 * px_per_mm
    limb(bgr, alpha, wrist + inward * 25 * px_per_mm + mirrored * 25 * px_per_mm, thumb, 22 * px_per_mm, skin * 0.97)
    spread = random.uniform(0.0, 14.0)
    for place, length in zip((-1.5, -0.5, 0.5, 1.5), (72, 84, 80, 62), strict=True):
        root = knuckles + mirrored * place * 20 * px_per_mm - inward * 8 * px_per_mm
        way = turned(inward, place * spread * float(np.sign(mirrored @ across)))
        limb(bgr, alpha, root, root + way * length * px_per_mm, 18 * px_per_mm, skin * random.uniform(0.94, 1.02))
    if sleeve is not None:
        cuff = wrist + inward * random.uniform(-60, 20) * px_per_mm
        limb(bgr, alpha, behind, cuff, 82 * px_per_mm, np.array(sleeve, np.float32))
    folds = cv2.GaussianBlur(random.normal(0, 1, alpha.shape).astype(np.float32), (0, 0), 12 * px_per_mm)
    bgr *= (1 + 0.05 * folds / max(1e-6, float(folds.std())))[..., None]


def limb(
    bgr: np.ndarray, alpha: np.ndarray, begin: np.ndarray, end: np.ndarray, wide_px: float, colour: np.ndarray
) -> None:
    """A round-ended bar, darker towards its sides."""
    for part, light in ((1.0, 0.72), (0.86, 0.86), (0.66, 0.95), (0.4, 1.0)):
        points = tuple((int(x), int(y)) for x, y in (begin, end))
        thick = max(1, round(wide_px * part))
        cv2.line(bgr, *points, tuple(float(level) for level in colour * light), thick, cv2.LINE_AA)
        if part == 1.0:
            cv2.line(alpha, *points, 255, thick, cv2.LINE_AA)


def turned(way: np.ndarray, angle_deg: float) -> np.ndarray:
    """A direction, turned."""
    cos, sin = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.array([[cos, -sin], [sin, cos]]) @ way


def grey_of(bgr: np.ndarray) -> float:
    """Brightness of one colour."""
    return float(bgr @ (0.114, 0.587, 0.299))


def slid(layer: Layer, shift_px: np.ndarray) -> Layer:
    """The layer moved as a whole."""
    move = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]], np.float32)
    size = layer.alpha.shape[::-1]
    bgr, alpha = (cv2.warpAffine(part, move, size, borderMode=cv2.BORDER_CONSTANT) for part in (layer.bgr, layer.alpha))
    return Layer(bgr, alpha, layer.shade_px)


def over(picture: np.ndarray, layer: Layer) -> np.ndarray:
    """The picture with a layer and its soft shadow over it."""
    if layer.shade_px:
        small = cv2.resize(layer.alpha, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), max(0.5, layer.shade_px / 6))
        shade = cv2.resize(small, layer.alpha.shape[::-1], interpolation=cv2.INTER_LINEAR)
        move = np.array([[1, 0, 0.7 * layer.shade_px], [0, 1, 0.5 * layer.shade_px]], np.float32)
        shade = cv2.warpAffine(shade, move, layer.alpha.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
        picture = picture * (1 - 0.35 * shade)[..., None]
    alpha = layer.alpha[..., None]
    return picture * (1 - alpha) + layer.bgr * alpha


def with_dice(picture: np.ndarray, dice: tuple[Die, ...]) -> np.ndarray:
    """The picture with dice on it: a square, a dark side, a soft shadow, pips."""
    picture = picture.copy()
    for die in dice:
        shade = np.zeros(picture.shape[:2], np.uint8)
        box = ((die.x + 0.2 * die.edge_px, die.y + 0.15 * die.edge_px), (1.05 * die.edge_px,) * 2, die.angle_deg)
        cv2.fillConvexPoly(shade, np.rint(cv2.boxPoints(box)).astype(np.int32), 255)
        soft = 2 * round(die.edge_px / 10) + 1
        picture *= (1 - 0.4 * cv2.blur(shade, (soft, soft)).astype(np.float32) / 255)[..., None]
    for die in dice:
        corners = np.rint(cv2.boxPoints(((die.x, die.y), (die.edge_px,) * 2, die.angle_deg)) * 16).astype(np.int32)
        cv2.fillConvexPoly(picture, corners, tuple(0.95 * level for level in die.bgr), cv2.LINE_AA, 4)
        pip = (30.0, 30.0, 30.0) if grey_of(np.array(die.bgr, float)) > 110 else (230.0, 230.0, 230.0)
        for across in (-0.25, 0.25):
            for along in (-0.25, 0.0, 0.25):
                place = np.array([die.x, die.y]) + turned(np.array([across, along]), die.angle_deg) * die.edge_px
                radius = max(1, round(0.09 * die.edge_px))
                cv2.circle(picture, (round(place[0]), round(place[1])), radius, pip, cv2.FILLED, cv2.LINE_AA)
    return picture


def some_dice(size_px: tuple[int, int], count: int, edge_part: float, random: np.random.Generator) -> tuple[Die, ...]:
    """Dice that lie anywhere, none on another, some of them cut by the picture's edge."""
    width, height = size_px
    edge_px = edge_part * width
    dice: list[Die] = []
    for _ in range(60 * count):
        x, y = random.uniform(0, width), random.uniform(0, height)
        if len(dice) < count and all(np.hypot(x - die.x, y - die.y) > 1.2 * edge_px for die in dice):
            dice.append(Die(x, y, edge_px, random.uniform(0, 90), DICE_BGR[random.integers(len(DICE_BGR))]))
    return tuple(dice)


def heap(size_px: tuple[int, int], count: int, edge_part: float, random: np.random.Generator) -> tuple[Die, ...]:
    """Dice of one colour side by side, touching, somewhere in the picture."""
    width, height = size_px
    edge_px = edge_part * width
    bgr = DICE_BGR[random.integers(len(DICE_BGR))]
    wide = round(np.sqrt(count))
    left, top = (random.uniform(0.5 * edge_px, length - (wide + 2) * edge_px) for length in (width, height))
    places = [(number % wide, number // wide) for number in range(count)]
    return tuple(
        Die(left + x * edge_px * 1.03, top + y * edge_px * 1.03, edge_px, random.uniform(-6, 6), bgr) for x, y in places
    )


def board(size_px: tuple[int, int], kind: str, random: np.random.Generator) -> Layer:
    """A tray or a card that lies on the table, away from the picture's edge."""
    width, height = size_px
    long = (random.uniform(0.3, 0.5) if kind == "tray" else random.uniform(0.16, 0.22)) * width
    box = ((0.5 * width, 0.5 * height), (long, 0.7 * long), random.uniform(-15, 15))
    alpha, bgr = np.zeros((height, width), np.uint8), np.zeros((height, width, 3), np.float32)
    colours = ((60, 95, 40), (110, 60, 40), (40, 40, 130), (45, 66, 92), (225, 228, 230))
    colour = np.array(colours[random.integers(5)], np.float32)
    cv2.fillConvexPoly(alpha, np.rint(cv2.boxPoints(box)).astype(np.int32), 255, cv2.LINE_AA)
    bgr[:] = 0.7 * colour
    inner = (box[0], (0.92 * long, 0.62 * long), box[2])
    cv2.fillConvexPoly(bgr, np.rint(cv2.boxPoints(inner)).astype(np.int32), tuple(map(float, colour)), cv2.LINE_AA)
    return Layer(bgr, alpha.astype(np.float32) / 255, 0.02 * width)


def player_shadow(size_px: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """How much light a player who leans over leaves: (h, w) float32; soft as a lamp of some size makes it."""
    width, height = size_px
    shade = np.zeros((height // 4, width // 4), np.float32)
    middle = (random.uniform(0, width) / 4, random.choice([0, height]) / 4)
    axes = (round(random.uniform(0.1, 0.3) * width / 4), round(random.uniform(0.2, 0.5) * height / 4))
    cv2.ellipse(shade, (round(middle[0]), round(middle[1])), axes, 0, 0, 360, 1.0, cv2.FILLED)
    soft = cv2.GaussianBlur(shade, (0, 0), random.uniform(0.03, 0.08) * width / 4)
    return 1 - random.uniform(0.1, 0.35) * cv2.resize(soft, size_px, interpolation=cv2.INTER_LINEAR)


class Sensor:
    """Adds exposure, noise and JPEG."""

    def __init__(self, size_px: tuple[int, int], random: np.random.Generator) -> None:
        width, height = size_px
        self._random = random
        self._noise = random.normal(0, NOISE_LEVELS, (height + 32, width + 32, 3)).astype(np.float32)

    def sees(self, picture: np.ndarray, gain_bgr: tuple[float, ...] = (1.0, 1.0, 1.0)) -> np.ndarray:
        """(h, w, 3) uint8."""
        height, width = picture.shape[:2]
        down, right = self._random.integers(0, 32, 2)
        lit = picture * np.array(gain_bgr, np.float32) + self._noise[down : down + height, right : right + width]
        _, data = cv2.imencode(".jpg", np.clip(lit, 0, 255).astype(np.uint8), (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
        return cv2.imdecode(data, cv2.IMREAD_COLOR)


# what is made of it


class Stage:
    """A watched table; whatever is shown, one frame passes. Its reader knows what lies there."""

    def __init__(self, size_px: tuple[int, int], random: np.random.Generator) -> None:
        self.at_us = 0
        self._sensor = Sensor(size_px, random)
        self._lie: tuple[Die, ...] = ()
        self.watch = Watch(self._read, live=True, stopwatch_us=lambda: 0)

    def show(
        self,
        picture: np.ndarray,
        lie: tuple[Die, ...] = (),
        *,
        frames: int = 1,
        gain_bgr: tuple[float, ...] = (1, 1, 1),
    ) -> int:
        """How many readings are told while this is to be seen; `lie` are the dice in sight."""
        self._lie = lie
        told = 0
        for _ in range(frames):
            told += self.watch.feed(Frame(self._sensor.sees(picture, gain_bgr), self.at_us, 0)) is not None
            self.at_us += FRAME_US
        return told

    def _read(self, frame_bgr: np.ndarray) -> DiceReading:
        dice = tuple(
            DieReading(3, die.x, die.y, die.edge_px, die.edge_px, 0.0, "white", 0.99, True, ((3, 0.99),))
            for die in self._lie
        )
        return DiceReading(frame_bgr.shape[1], frame_bgr.shape[0], dice)


def in_sight(dice: tuple[Die, ...], layer: Layer) -> tuple[Die, ...]:
    """The dice whose middle nothing covers."""
    height, width = layer.alpha.shape
    return tuple(die for die in dice if layer.alpha[min(height - 1, int(die.y)), min(width - 1, int(die.x))] < 0.5)


def bare(seed: int, number: int) -> tuple[np.random.Generator, tuple[int, int], str, np.ndarray]:
    """A table of a seed: every other one is the demo's mat."""
    random = np.random.default_rng([seed, number])
    size_px = SIZES_PX[number // 2 % 2]
    name = "mat" if number % 2 else str(random.choice(list(PLAIN_BGR)))
    return random, size_px, name, table_picture(name, size_px, random)


def held_still(seed: int, number: int) -> tuple[str, bool]:
    """A hand is held still over dice: over which table, how large, and whether the table passed for free."""
    random, size_px, name, table = bare(seed, number)
    stage, dice = Stage(size_px, random), some_dice(size_px, 5, random.uniform(0.02, 0.05), random)
    stage.show(with_dice(table, dice[:2]), dice[:2], frames=8)
    drawn = hand(size_px, table, random)
    seen = over(with_dice(table, dice), drawn.layer)
    gain = float(random.uniform(0.9, 1.1))
    free = False
    for _ in range(12):
        stage.show(seen, in_sight(dice, drawn.layer), gain_bgr=(gain,) * 3)
        free |= stage.watch.is_at_rest
    size = "under" if drawn.part < PARTS[0] else "little" if drawn.part < PARTS[1] else "well"
    return f"{'mat' if name == 'mat' else 'plain'}, {size} in view", free


NO_HANDS = ("5 dice", "60 dice", "60 dice touching", "large dice", "shadow", "lamp", "exposure", "tray", "card")


def no_hand(seed: int, number: int) -> tuple[str, bool]:
    """Dice are thrown and something else happens, no hand in view: what, and whether they were told too late."""
    random, size_px, _, table = bare(seed, number)
    kind = NO_HANDS[number % len(NO_HANDS)]
    stage = Stage(size_px, random)
    stage.show(table, frames=8)
    dice = some_dice(size_px, 5, random.uniform(0.02, 0.05), random)
    gain: tuple[float, ...] = (1.0, 1.0, 1.0)
    match kind:
        case "60 dice":
            dice = some_dice(size_px, 60, random.uniform(0.02, 0.035), random)
        case "60 dice touching":
            dice = heap(size_px, 60, random.uniform(0.02, 0.04), random)
        case "large dice":
            dice = some_dice(size_px, 3, random.uniform(0.1, 1 / 6), random)
        case "shadow":
            table = table * player_shadow(size_px, random)[..., None]
        case "lamp":
            gain = tuple(random.uniform(0.6, 1.5) * random.uniform(0.92, 1.08, 3))
        case "exposure":
            gain = (float(random.uniform(0.75, 1.3)),) * 3
        case "tray" | "card":
            table = over(table, board(size_px, kind, random))
    for back_px in (60, 40, 20):
        rolling = tuple(Die(die.x - back_px, die.y, die.edge_px, die.angle_deg, die.bgr) for die in dice)
        stage.show(with_dice(table, rolling), rolling, gain_bgr=gain)
    return kind, stage.show(with_dice(table, dice), dice, frames=1 + IN_TIME_US // FRAME_US, gain_bgr=gain) != 1


def slides_in(seed: int, number: int, *, takes: bool) -> tuple[str, bool]:
    """A hand comes, stays for a second and goes, and leaves dice there or takes them; whether that was told wrongly."""
    random, size_px, _, table = bare(seed, number)
    stage, dice = Stage(size_px, random), some_dice(size_px, 5, random.uniform(0.02, 0.05), random)
    drawn = hand(size_px, table, random)
    while drawn.part < PARTS[1]:
        drawn = hand(size_px, table, random)
    thrown = with_dice(table, dice)
    stage.show(table, frames=8)
    if takes:
        stage.show(thrown, dice, frames=12)
    told = 0
    for part in (0.85, 0.7, 0.5, 0.35, 0.2, 0.1):
        layer = slid(drawn.layer, -part * 0.8 * size_px[0] * drawn.inward)
        told += stage.show(over(thrown if takes else table, layer), in_sight(dice, layer) if takes else ())
    told += stage.show(over(thrown, drawn.layer), in_sight(dice, drawn.layer), frames=30)
    after = 0
    for part in (0.15, 0.3, 0.5, 0.7, 0.9):
        layer = slid(drawn.layer, -part * 0.8 * size_px[0] * drawn.inward)
        heard = stage.show(over(table if takes else thrown, layer), () if takes else in_sight(dice, layer))
        if layer.alpha.any():
            told += heard
        else:
            after += heard
    after += stage.show(table if takes else thrown, () if takes else dice, frames=10)
    return "taken" if takes else "dropped", told > 0 or after != (0 if takes else 1)


def counts(seed: int, count: int) -> dict[str, tuple[int, int]]:
    """By kind of event: how many went wrong, of how many."""
    wrong: Counter[str] = Counter()
    of: Counter[str] = Counter()
    events = [held_still(seed, number) for number in range(count)]
    events += [no_hand(seed + 1, number) for number in range(count)]
    events += [slides_in(seed + 2, number, takes=takes) for number in range(count // 6) for takes in (False, True)]
    for kind, is_wrong in events:
        of[kind] += 1
        wrong[kind] += is_wrong
    return {kind: (wrong[kind], of[kind]) for kind in sorted(of)}


if __name__ == "__main__":
    for kind, (wrong, of) in counts(*map(int, sys.argv[1:] or ["1", "180"])).items():
        print(f"{kind:25} wrong {wrong} of {of}")
