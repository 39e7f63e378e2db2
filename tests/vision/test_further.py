"""What a further course of training begins with, where torch is installed."""

import importlib.util

import numpy as np
import pytest

from vision.network import load_network

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("onnx") is None,
    reason="the extra 'train' is missing: that further training begins with the committed weights is not shown",
)


@pytest.mark.parametrize("name", ["stack-reader", "space-reader", "load-finder", "load-reader", "tower-reader"])
def test_a_further_course_begins_with_what_the_committed_network_says(name):
    import torch

    from vision.training.further import COURSES, committed

    network, shape, _fit = COURSES[name]
    shown = np.random.default_rng(1).normal(size=(1, *shape)).astype(np.float32)
    with torch.no_grad():
        answer = committed(network(), name, *shape).eval()(torch.from_numpy(shown))
    begun = [part.numpy() for part in (answer if isinstance(answer, tuple) else (answer,))]
    outputs = ("maps", "status") if name == "tower-reader" else ("output",)
    for mine, theirs in zip(begun, load_network(name, outputs=outputs).run(shown), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-3)
