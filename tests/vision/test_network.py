"""How networks are loaded and run: by ONNX Runtime where it is, else by OpenCV, with the same scores."""

import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vision.cameras.photos import load_photo
from vision.dice.reader import DiceReader
from vision.models import network
from vision.models.network import MODELS, OUTPUTS, Network, engine, load_network, load_opencv_net, runtime_here

FIXTURE = Path(__file__).parent / "fixtures" / "dice" / "scene_00.jpg"
SHAPES = {  # as the readers show them; the finder sees frames of many sizes
    "dice-finder": [(1, 3, 448, 800), (1, 3, 352, 608)],
    "dice-doubts": [(3, 3, 64, 64), (9, 3, 64, 64)],
    "dice-knower": [(3, 3, 64, 64), (9, 3, 64, 64)],
    "dice-reader": [(1, 3, 40, 40), (16, 3, 40, 40), (5, 3, 40, 40)],
    "load-finder": [(1, 6, 288, 384), (1, 6, 352, 320)],
    "load-reader": [(1, 6, 72, 72), (24, 6, 72, 72)],
    "space-reader": [(16, 9, 70, 56), (100, 9, 70, 56)],
    "stack-heights": [(1, 112, 1, 1), (7, 112, 1, 1)],
    "stack-reader": [(1, 6, 144, 80), (7, 6, 144, 80)],
    "tower-reader": [(1, 16, 384, 160)],
}
NAMES = sorted(path.name.partition(".")[0] for path in MODELS.glob("*.onnx.xz"))


def content(name):
    return lzma.decompress((MODELS / f"{name}.onnx.xz").read_bytes())


@pytest.fixture
def opencv_alone(monkeypatch):
    """As where ONNX Runtime is not installed."""
    monkeypatch.setenv(network.WITHOUT_RUNTIME, "1")
    runtime_here.cache_clear()
    yield
    runtime_here.cache_clear()


@pytest.mark.parametrize("name", NAMES)
def test_opencvs_older_engine_has_the_networks(name):
    """OpenCV 5.0 has another one that is slower on ours, and takes it wherever it is not stopped."""
    layers = load_opencv_net(content(name))
    assert "Convolution" in {layers.getLayer(number).type for number in range(len(layers.getLayerNames()) + 1)}


@pytest.mark.parametrize("name", NAMES)
def test_both_give_the_same_scores(name):
    if runtime_here() is None:
        pytest.skip("ONNX Runtime is not installed: that it agrees with OpenCV stays unshown")
    outputs = ("maps", "status") if name == "tower-reader" else OUTPUTS
    random = np.random.default_rng(5)
    for shape in SHAPES[name]:
        shown = random.standard_normal(shape, np.float32)
        ours = Network(content(name), outputs, runtime_here()).run(shown)
        theirs = Network(content(name), outputs, None).run(shown)
        assert len(ours) == len(theirs) == len(outputs)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other.reshape(one.shape), atol=1e-4)


def test_without_the_runtime_opencv_reads_the_same_dice(opencv_alone, monkeypatch):
    assert engine().startswith("OpenCV ")
    frame = load_photo(FIXTURE)
    by_opencv = DiceReader().read(frame)
    monkeypatch.delenv(network.WITHOUT_RUNTIME)
    runtime_here.cache_clear()
    if runtime_here() is None:
        pytest.skip("ONNX Runtime is not installed: that it reads the same stays unshown")
    assert engine().startswith("ONNX Runtime ")
    here = DiceReader().read(frame)
    assert [(die.value, die.accepted) for die in here.dice] == [(die.value, die.accepted) for die in by_opencv.dice]
    assert len(here.dice) > 1


def test_an_answer_is_not_written_over_by_the_next():
    reader = load_network("dice-reader")
    random = np.random.default_rng(6)
    first = reader.run(random.standard_normal((2, 3, 40, 40), np.float32))[0]
    kept = first.copy()
    reader.run(random.standard_normal((2, 3, 40, 40), np.float32))
    assert (first == kept).all()


def test_what_runs_the_networks_tells_its_maker_nothing(tmp_path):
    """Its Privacy.md: unless it is told not to, it keeps a device's id at home and sends what it does."""
    if not runtime_here():
        pytest.skip("ONNX Runtime is not installed here: OpenCV runs the networks, and has no such thing")
    homes = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    environment = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"} | homes
    loads = "from vision.models.network import load_network; load_network('dice-reader')"
    subprocess.run([sys.executable, "-B", "-c", loads], env=environment, check=True, timeout=120)
    assert [*tmp_path.rglob("*")] == []
