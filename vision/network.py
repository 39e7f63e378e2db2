"""How a network is loaded from vision/models: ONNX, compressed, as weights rounded for it shrink to half."""

import gzip
from pathlib import Path

import cv2
import numpy as np

MODELS = Path(__file__).with_name("models")


def load_network(name: str, models: Path = MODELS) -> cv2.dnn.Net:
    """The network `name` of that folder. OpenCV 5 brings two engines; the older one is a third faster on these
    networks, and 4.x has no other."""
    content = np.frombuffer(gzip.decompress((models / f"{name}.onnx.gz").read_bytes()), np.uint8)
    if hasattr(cv2.dnn, "ENGINE_CLASSIC"):
        return cv2.dnn.readNetFromONNX(content, engine=cv2.dnn.ENGINE_CLASSIC)
    return cv2.dnn.readNetFromONNX(content)
