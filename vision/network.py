"""How a network is loaded from vision/models: ONNX, compressed, as weights rounded for it shrink to half."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np

MODELS = Path(__file__).with_name("models")


def load_network(name: str, models: Path = MODELS) -> cv2.dnn.Net:
    """The network `name` of that folder. OpenCV 5 brings two engines; the older one is a fifth to a third faster on
    these networks, and 4.x has no other."""
    content = gzip.decompress((models / f"{name}.onnx.gz").read_bytes())
    if not hasattr(cv2.dnn, "ENGINE_CLASSIC"):
        return cv2.dnn.readNetFromONNX(np.frombuffer(content, np.uint8))
    with TemporaryDirectory() as folder:  # OpenCV 5.0 listens to `engine` for files alone, and ignores it for bytes
        path = Path(folder, f"{name}.onnx")
        path.write_bytes(content)
        return cv2.dnn.readNetFromONNX(str(path), engine=cv2.dnn.ENGINE_CLASSIC)
