"""Draws pictures of cards on tables to judge the reader of cards: our own deck's stacks, with or without our marker."""

import cv2
import numpy as np

from companion.equipment.deck import OWN_DECK
from vision.card.picture import DOTS_MM
from vision.training.drawn.tables import lay_table
from vision.training.labelled import Rng

MANY = len(OWN_DECK.cards)
WIDTH_PX, HEIGHT_PX = 1280, 960


def lay_card(rng: Rng, picture: np.ndarray) -> np.ndarray:
    """A card on a table (960, 1280, 3), turned, seen a little from the side, under a lamp."""
    table = cv2.resize(lay_table(rng, 1100, 55), (WIDTH_PX, HEIGHT_PX)).astype(np.float32)
    tall, wide = picture.shape[:2]
    scale = rng.uniform(2.2, 3.6) / DOTS_MM  # pixels of the frame for each millimetre
    turn = rng.normal(0, 0.35) + (np.pi if rng.random() < 0.2 else 0.0)
    corners = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2 * scale
    corners = corners @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners[:, 1] *= np.cos(np.radians(rng.uniform(0, 35)))
    corners *= 1 + corners[:, 1:] / 3500
    corners += rng.uniform(0.35, 0.65, 2) * [WIDTH_PX, HEIGHT_PX]
    start = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    matrix = cv2.getPerspectiveTransform(start, corners.astype(np.float32))
    small = cv2.GaussianBlur(picture, (0, 0), 0.35 / scale)
    laid = cv2.warpPerspective(small, matrix, (WIDTH_PX, HEIGHT_PX)).astype(np.float32)
    share = cv2.warpPerspective(np.ones((tall, wide), np.float32), matrix, (WIDTH_PX, HEIGHT_PX))[..., None]
    shadow = cv2.GaussianBlur(share, (0, 0), 4)[..., None]
    frame = table * (1 - 0.3 * shadow) * (1 - share) + laid * share
    ramp = np.linspace(rng.uniform(0.55, 1), rng.uniform(0.55, 1), WIDTH_PX, dtype=np.float32)[None, :, None]
    frame *= ramp * np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    frame = cv2.GaussianBlur(frame, (0, 0), rng.uniform(0.4, 1.3))
    return np.clip(frame + rng.normal(0, rng.uniform(1, 6), frame.shape), 0, 255).astype(np.uint8)
