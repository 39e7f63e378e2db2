"""Counts the pips of a face as blobs that differ from its body: a cue that shares nothing with the networks."""

import cv2
import numpy as np

from vision.dice_crops import UPRIGHT_CONTEXT

PIP_CROP_PX = 56  # side of the crop that is counted on
PIP_CONTRAST = 30  # of 255, pips against the body; less is the body's own shading
PIP_AREA = (0.006, 0.16)  # shares of the face; fainter specks are noise, larger ones glare or print
PIP_FILL = 0.55  # least share of its bounding box that a pip fills; a disc fills 0.79, a tiny one less


def count_pips(upright_bgr: np.ndarray) -> int | None:
    """Pips on an upright face that spans 1/UPRIGHT_CONTEXT of the crop; None when none stand out clearly."""
    size = upright_bgr.shape[0]
    half = size / UPRIGHT_CONTEXT / 2
    low, high = int(size / 2 - half * 0.9), int(size / 2 + half * 0.9)
    face = upright_bgr[low:high, low:high]
    sample = np.sort(face[::2, ::2].reshape(-1, 3), axis=0)
    body = sample[len(sample) // 2].astype(float)
    blue, green, red = cv2.split(cv2.absdiff(face, (*body, 0.0)))
    contrast = cv2.max(cv2.max(blue, green), red)
    _, mask = cv2.threshold(contrast, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    if cv2.mean(contrast, mask)[0] < PIP_CONTRAST:
        return None
    _, _, stats, centres = cv2.connectedComponentsWithStats(mask)
    area = (2 * half) ** 2
    pips = 0
    for (_, _, w, h, pixels), (x, y) in zip(stats[1:].tolist(), centres[1:].tolist(), strict=True):
        edge = max(abs(x / (high - low) - 0.5), abs(y / (high - low) - 0.5))
        if not PIP_AREA[0] * area < pixels < PIP_AREA[1] * area or edge > 0.44:
            continue
        if pixels < PIP_FILL * w * h or max(w, h) > 1.8 * min(w, h):
            return None
        pips += 1
    return pips if 1 <= pips <= 6 else None
