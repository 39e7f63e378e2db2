"""Readings drawn into their photograph, for people to look at."""

import cv2
import numpy as np

from companion.readings import DiceReading, StacksReading

SURE, ASKED, UNREAD = (60, 190, 60), (0, 150, 255), (200, 0, 200)  # BGR


def draw_dice(frame_bgr: np.ndarray, reading: DiceReading) -> np.ndarray:
    """A copy with each die's face outlined: green is sure, orange is asked, purple could not be read."""
    picture = frame_bgr.copy()
    thick = max(1, round(max(frame_bgr.shape[:2]) / 700))
    for die in reading.dice:
        paint = SURE if die.accepted else ASKED
        lean = np.radians(abs(die.angle_deg))
        side = die.w / (np.cos(lean) + np.sin(lean))
        corners = cv2.boxPoints(((die.cx, die.cy), (side, side), die.angle_deg))
        cv2.polylines(picture, [corners.astype(np.int32)], True, paint, thick, cv2.LINE_AA)
        label = str(die.value) if die.accepted else f"{die.value}?"
        at = (int(die.cx + die.w * 0.45), int(die.cy - die.h * 0.35))
        cv2.putText(picture, label, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, (255, 255, 255), 3 * thick, cv2.LINE_AA)
        cv2.putText(picture, label, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, paint, thick + 1, cv2.LINE_AA)
    for box in reading.unread:
        corner = (int(box.cx - box.w / 2), int(box.cy - box.h / 2))
        other = (int(box.cx + box.w / 2), int(box.cy + box.h / 2))
        cv2.rectangle(picture, corner, other, UNREAD, thick)
    return picture


def draw_stacks(frame_bgr: np.ndarray, reading: StacksReading) -> np.ndarray:
    """The top dice, each with the height of its stack beside it."""
    tops = DiceReading(reading.width, reading.height, tuple(stack.top for stack in reading.stacks), reading.unread)
    picture = draw_dice(frame_bgr, tops)
    thick = max(1, round(max(frame_bgr.shape[:2]) / 700))
    for stack in reading.stacks:
        words = f"x{stack.height}{'' if stack.height_accepted else '?'}"
        at = (int(stack.top.cx - stack.top.w), int(stack.top.cy + stack.top.h))
        paint = SURE if stack.height_accepted else ASKED
        cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, (255, 255, 255), 3 * thick, cv2.LINE_AA)
        cv2.putText(picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, paint, thick + 1, cv2.LINE_AA)
    return picture
