"""What a further course of training begins with, where torch is installed."""

import importlib.util

import numpy as np
import pytest

from vision.models.network import load_network

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("onnx") is None,
    reason="the extra 'train' is missing: that further training begins with the committed weights is not shown",
)


@pytest.mark.parametrize("name", ["stack-reader", "space-reader", "load-finder", "load-reader", "tower-reader"])
def test_a_further_course_begins_with_what_the_committed_network_says(name):
    import torch

    from vision.training.nets.further import COURSES
    from vision.training.nets.weights import committed

    network, shape, _fit = COURSES[name]
    shown = np.random.default_rng(1).normal(size=(1, *shape)).astype(np.float32)
    with torch.no_grad():
        answer = committed(network(), name, *shape).eval()(torch.from_numpy(shown))
    begun = [part.numpy() for part in (answer if isinstance(answer, tuple) else (answer,))]
    outputs = ("maps", "status") if name == "tower-reader" else ("output",)
    for mine, theirs in zip(begun, load_network(name, outputs=outputs).run(shown), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-3)


def test_the_network_that_tells_heights_goes_on_with_the_committed_weights_too():
    import torch

    from vision.training.nets.networks import StackHeights
    from vision.training.nets.weights import committed

    shown = np.random.default_rng(4).normal(size=(3, 112, 1, 1)).astype(np.float32)
    with torch.no_grad():
        mine = committed(StackHeights(), "stack-heights", 112, 1, 1).eval()(torch.from_numpy(shown)).numpy()
    theirs = load_network("stack-heights").run(shown)[0].reshape(mine.shape)
    np.testing.assert_allclose(mine, theirs, atol=1e-3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch's exporter
def test_a_blend_lies_between_the_two_networks(tmp_path, monkeypatch):
    import torch

    from vision.training.nets import networks, weights

    shown = np.random.default_rng(3).normal(size=(4, 3, 40, 40)).astype(np.float32)
    mine, other = tmp_path / "mine", tmp_path / "other"
    for folder in (mine, other):
        folder.mkdir()
        (folder / "dice-reader.onnx.xz").write_bytes((weights.MODELS / "dice-reader.onnx.xz").read_bytes())
    monkeypatch.setattr(weights, "MODELS", other)
    fresh = networks.FaceReader()
    for part in fresh.parameters():  # no two biases alike, which the exporter would write once
        part.data += 0.05 * torch.randn_like(part)
    weights.export(fresh, "dice-reader", 3, 40, 40)
    monkeypatch.setattr(weights, "MODELS", mine)
    before = load_network("dice-reader", mine).run(shown)[0]
    weights.blend("dice-reader", other, 1.0)
    np.testing.assert_allclose(load_network("dice-reader", mine).run(shown)[0], before, atol=1e-5)
    weights.blend("dice-reader", other, 0.0)
    after = load_network("dice-reader", mine).run(shown)[0]
    np.testing.assert_allclose(after, load_network("dice-reader", other).run(shown)[0], atol=1e-5)


@pytest.mark.parametrize(
    ("name", "shape"), [("dice-finder", (3, 96, 96)), ("dice-reader", (3, 40, 40)), ("dice-doubts", (3, 64, 64))]
)
def test_batch_norm_worked_out_anew_changes_no_score(name, shape):
    import torch

    from vision.training.nets.networks import CloseReader, FaceReader, Finder
    from vision.training.nets.weights import with_norms

    kind = {"dice-finder": Finder, "dice-reader": FaceReader, "dice-doubts": CloseReader}[name]
    shown = np.random.default_rng(2).normal(size=(16, *shape)).astype(np.float32)
    network = with_norms(kind(), name, torch.from_numpy(shown))
    with torch.no_grad():
        kept = network.eval()(torch.from_numpy(shown)).numpy()
        learning = network.train()(torch.from_numpy(shown)).numpy()
    theirs = load_network(name).run(shown)[0]
    np.testing.assert_allclose(kept, theirs, atol=1e-3)
    np.testing.assert_allclose(learning, theirs, atol=1e-3)


def test_a_course_learns_from_what_its_losses_say_and_tells_each(capsys):
    import torch

    from vision.training.nets.course import Course

    network = torch.nn.Conv2d(1, 1, 1)

    def losses(rng):
        shown = torch.from_numpy(rng.normal(size=(32, 1, 1, 1)).astype(np.float32))
        off = network(shown).float() - (3 * shown + 1)
        return {"squares": (off**2).mean(), "sizes": off.abs().mean()}

    Course(network, steps=400, rate=0.1).teach("a line", losses, weight_decay=0.0)
    assert network.weight.item() == pytest.approx(3, abs=0.1)
    assert network.bias.item() == pytest.approx(1, abs=0.1)
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 4
    assert all("squares" in line and "sizes" in line for line in told)
