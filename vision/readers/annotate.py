"""Draws readings into their photograph for people."""

import cv2
import numpy as np

from companion.game.readings import (
    BoardReading,
    CardReading,
    DiceReading,
    LoadReading,
    PlayReading,
    StacksReading,
    TowerReading,
)
from vision.scene.pose import FAR_PX

SURE, ASKED, UNREAD, MISSED = (60, 190, 60), (0, 150, 255), (200, 0, 200), (0, 0, 255)  # BGR


def draw_dice(frame_bgr: np.ndarray, reading: DiceReading) -> np.ndarray:
    """A copy with each die's face outlined: green is accepted, orange is asked, purple is unread."""
    picture = frame_bgr.copy()
    thick = thickness(picture)
    for die in reading.dice:
        paint = SURE if die.accepted else ASKED
        lean = np.radians(abs(die.angle_deg))
        side = die.w / (np.cos(lean) + np.sin(lean))
        corners = cv2.boxPoints(((die.cx, die.cy), (side, side), die.angle_deg))
        cv2.polylines(picture, [whole_px(corners)], True, paint, thick, cv2.LINE_AA)
        at = place_px(die.cx + die.w * 0.45, die.cy - die.h * 0.35)
        write(picture, f"{die.value}{'' if die.accepted else '?'}", at, paint, 0.6 * thick, thick + 1)
    for box in reading.unread:
        corner = place_px(box.cx - box.w / 2, box.cy - box.h / 2)
        other = place_px(box.cx + box.w / 2, box.cy + box.h / 2)
        cv2.rectangle(picture, corner, other, UNREAD, thick)
    return picture


def draw_stacks(frame_bgr: np.ndarray, reading: StacksReading) -> np.ndarray:
    """A copy with the top dice, each with the height of its stack beside it."""
    tops = DiceReading(reading.width, reading.height, tuple(stack.top for stack in reading.stacks), reading.unread)
    picture = draw_dice(frame_bgr, tops)
    thick = thickness(picture)
    for stack in reading.stacks:
        words = f"x{stack.height}{'' if stack.height_accepted else '?'}"
        at = place_px(stack.top.cx - stack.top.w, stack.top.cy + stack.top.h)
        paint = SURE if stack.height_accepted else ASKED
        write(picture, words, at, paint, 0.6 * thick, thick + 1)
    return picture


def draw_board(frame_bgr: np.ndarray, reading: BoardReading) -> np.ndarray:
    """A copy with each pile's colour and height on its top; empty spaces are dots."""
    picture = frame_bgr.copy()
    for cell in (cell for row in reading.cells for cell in row):
        paint = SURE if cell.accepted else ASKED
        if cell.colour is None:
            cv2.circle(picture, place_px(cell.cx, cell.cy), thickness(picture) * 3, paint, -1, cv2.LINE_AA)
            continue
        words = f"{cell.colour}{'' if cell.height is None else f' {cell.height}'}{'' if cell.accepted else '?'}"
        label(picture, words, (cell.cx, cell.cy), paint)
    return picture


def draw_play(frame_bgr: np.ndarray, reading: PlayReading) -> np.ndarray:
    """A copy with the spaces that look different, and the play in words."""
    picture = frame_bgr.copy()
    thick = thickness(picture)
    paint = SURE if reading.accepted else ASKED
    for x, y in reading.changed_px:
        cv2.circle(picture, place_px(x, y), 30 * thick, paint, 2 * thick, cv2.LINE_AA)
    if reading.play is not None and reading.play.cell in reading.changed:
        words = f"{reading.play.kind} {reading.play.colour or ''}".strip()
        label(picture, words, reading.changed_px[reading.changed.index(reading.play.cell)], paint)
    return picture


def draw_load(frame_bgr: np.ndarray, reading: LoadReading) -> np.ndarray:
    """A copy with the size of each box beside the trucks, and the colour on each covered square."""
    picture = frame_bgr.copy()
    for box in reading.boxes:
        paint = SURE if reading.outside_accepted else ASKED
        label(picture, f"{box.size}{' up' if box.standing else ''}", (box.cx, box.cy), paint)
    for square in (square for truck in reading.trucks for row in truck.cells for square in row if square.filled):
        label(picture, square.colour or "x", (square.cx, square.cy), SURE if square.accepted else ASKED, 0.4)
    return picture


def draw_card(frame_bgr: np.ndarray, reading: CardReading) -> np.ndarray:
    """A copy with the card outlined and named."""
    picture = frame_bgr.copy()
    if reading.corners_px:
        paint = SURE if reading.accepted else ASKED
        corners = whole_px(np.array(reading.corners_px))
        cv2.polylines(picture, [corners], True, paint, 2 * thickness(picture), cv2.LINE_AA)
        label(picture, reading.name or "?", corners.mean(axis=0), paint)
    return picture


def draw_tower(frame_bgr: np.ndarray, reading: TowerReading) -> np.ndarray:
    """A copy with the blocks of each space outlined; below, its status and the comparison with the reference."""
    picture = frame_bgr.copy()
    for place, space in enumerate(reading.spaces):
        paint = SURE if space.accepted else ASKED
        for block in space.blocks:
            corners = cv2.boxPoints(((block.cx, block.cy), (block.w, block.h), block.angle_deg))
            cv2.polylines(picture, [whole_px(corners)], True, paint, thickness(picture), cv2.LINE_AA)
        words = f"{space.space}: {space.status}{'' if space.accepted else '?'}"
        at = ((place + 0.5) * frame_bgr.shape[1] / len(reading.spaces), frame_bgr.shape[0] * 0.95)
        label(picture, words, at, paint)
        if space.match is not None:
            verdict = f"{'same' if space.match.same else 'different'}{'' if space.match.accepted else '?'}"
            label(picture, verdict, (at[0], at[1] + 16 * thickness(picture)), SURE if space.match.accepted else ASKED)
    return picture


def mark_missed(picture: np.ndarray, middle_px: tuple[float, float], size_px: float, words: str) -> None:
    """Draws a red circle around a die that a reading missed, with its label."""
    (x, y), radius = place_px(*middle_px), round(size_px * 0.7)
    cv2.circle(picture, (x, y), radius, MISSED, 2, cv2.LINE_AA)
    at = (x - radius, y + radius)
    write(picture, words, at, MISSED, 0.8, 2)


def thickness(picture: np.ndarray) -> int:
    """Thickness of lines in px, so that they are visible in large pictures too."""
    return max(1, round(max(picture.shape[:2]) / 700))


def whole_px(points: np.ndarray) -> np.ndarray:
    """(n, 2) int32 of points (n, 2) in px, limited to a range that OpenCV can draw in."""
    return np.asarray(np.round(np.clip(points, -FAR_PX, FAR_PX)), np.int32)


def place_px(x: float, y: float) -> tuple[int, int]:
    """A single point in whole pixels."""
    column, row = whole_px(np.array([x, y]))
    return int(column), int(row)


def label(
    picture: np.ndarray,
    words: str,
    at: tuple[float, float] | np.ndarray,
    paint: tuple[int, int, int],
    scale: float = 0.5,
) -> None:
    """Writes words with their middle at a place."""
    thick = thickness(picture)
    (wide, tall), _below = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale * thick, thick)
    write(picture, words, place_px(at[0] - wide / 2, at[1] + tall / 2), paint, scale * thick, thick)


def write(
    picture: np.ndarray, words: str, corner: tuple[int, int], paint: tuple[int, int, int], scale: float, thick: int
) -> None:
    """Writes words from their lower left corner on, with a white rim; OpenCV 5 cannot draw a wider line behind them."""
    (wide, tall), below = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    rim = 2 * thick
    left, top = max(0, corner[0] - rim), max(0, corner[1] - tall - rim)
    part = picture[top : max(0, corner[1] + below + rim), left : max(0, corner[0] + wide + rim)]
    if part.size:
        ink, at = np.zeros(part.shape[:2], np.uint8), (corner[0] - left, corner[1] - top)
        cv2.putText(ink, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
        part[cv2.dilate(ink, np.ones((2 * thick + 1, 2 * thick + 1), np.uint8)) > 127] = 255
        cv2.putText(part, words, at, cv2.FONT_HERSHEY_SIMPLEX, scale, paint, thick, cv2.LINE_AA)
