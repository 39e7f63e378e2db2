"""Loads and runs the networks of vision/models: by ONNX Runtime where it is installed, else by OpenCV.

The files are compressed ONNX; rounded weights shrink to three fifths. ONNX Runtime takes half to two thirds of the time
of OpenCV 5 on one core and gives the same scores to a ten-thousandth.
"""

import lzma
import os
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

MODELS = Path(__file__).parent
OUTPUTS = ("output",)
WITHOUT_RUNTIME = "COMPANION_WITHOUT_ONNXRUNTIME"  # environment variable: use OpenCV only


class Network:
    """A network, ready to run. For one thread at a time: OpenCV keeps its working memory.

    outputs     their names in the file
    any_size    inputs may change their size at no cost; OpenCV plans its memory again each time
    """

    def __init__(self, content: bytes, outputs: tuple[str, ...], runtime: Any | None) -> None:
        self.any_size = runtime is not None
        self._outputs = list(outputs)
        self._session = open_session(content, runtime) if runtime else None
        self._net = None if runtime else load_opencv_net(content)

    def run(self, shown: np.ndarray) -> list[np.ndarray]:
        """The outputs for inputs (n, channels, height, width) float32; the arrays belong to the caller."""
        if self._session is not None:
            answers: list[np.ndarray] = self._session.run(self._outputs, {"input": shown})
            return answers
        assert self._net is not None
        self._net.setInput(shown)
        names = self._outputs if self._outputs != list(OUTPUTS) else self._net.getUnconnectedOutLayersNames()
        return [answer.copy() for answer in self._net.forward(names)]  # OpenCV may write there again


def load_network(name: str, models: Path = MODELS, outputs: tuple[str, ...] = OUTPUTS) -> Network:
    """The network called `name` in the folder `models`."""
    return Network(lzma.decompress((models / f"{name}.onnx.xz").read_bytes()), outputs, runtime_here())


@cache
def runtime_here() -> Any | None:
    """ONNX Runtime, or None if it is not installed, does not fit the numpy here, or is not wanted."""
    if os.environ.get(WITHOUT_RUNTIME):
        return None
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before it is loaded: else it tells its maker of every session
    try:
        import onnxruntime
    except ImportError:
        return None
    onnxruntime.set_default_logger_severity(3)  # no warning about a missing graphics card
    return onnxruntime


def engine() -> str:
    """The name and version of what runs the networks here."""
    return f"ONNX Runtime {metadata.version('onnxruntime')}" if runtime_here() else f"OpenCV {cv2.__version__}"


def open_session(content: bytes, runtime: Any) -> Any:
    """A session with as many threads as OpenCV has."""
    wanted = runtime.SessionOptions()
    wanted.intra_op_num_threads = cv2.getNumThreads()
    wanted.inter_op_num_threads = 1
    wanted.enable_cpu_mem_arena = False  # an arena never frees memory, and saves these networks no time
    wanted.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the networks are mostly idle
    return runtime.InferenceSession(content, wanted, providers=["CPUExecutionProvider"])


def load_opencv_net(content: bytes) -> cv2.dnn.Net:
    """OpenCV's network, by the older of OpenCV 5's two engines, which is a fifth to a third faster on these."""
    if not hasattr(cv2.dnn, "ENGINE_CLASSIC"):
        return cv2.dnn.readNetFromONNX(np.frombuffer(content, np.uint8))
    with TemporaryDirectory() as folder:  # OpenCV 5.0 ignores `engine` for bytes
        path = Path(folder, "network.onnx")
        path.write_bytes(content)
        return cv2.dnn.readNetFromONNX(str(path), engine=cv2.dnn.ENGINE_CLASSIC)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Probabilities (…, n) of scores (…, n)."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))
