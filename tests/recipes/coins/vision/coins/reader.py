"""Coins are bright discs."""

import cv2
import numpy as np
from companion.game.readings.coins import CoinsReading

from companion.game.readings.places import Box
from vision.scene.scene import Scene

BRIGHT = 200  # of 255
LEAST_PX = 10.0  # across


def read_coins(frame_bgr: np.ndarray, scene: Scene | None = None) -> CoinsReading:
    """Every bright disc of a frame (h, w, 3) uint8 BGR."""
    height, width = frame_bgr.shape[:2]
    mask = cv2.inRange(cv2.cvtColor(frame_bgr, cv2.COLOR_BGR2GRAY), BRIGHT, 255)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    circles = [cv2.minEnclosingCircle(contour) for contour in contours]
    coins = tuple(Box(x, y, 2 * radius, 2 * radius) for (x, y), radius in circles if 2 * radius >= LEAST_PX)
    return CoinsReading(width, height, coins)
