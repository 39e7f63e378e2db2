"""How networks are loaded: OpenCV 5.0 has an engine that is slower on ours, and takes it wherever it is not stopped."""

import pytest

from vision.network import MODELS, load_network


@pytest.mark.parametrize("name", sorted(path.name.partition(".")[0] for path in MODELS.glob("*.onnx.gz")))
def test_the_older_engine_has_the_networks(name):
    layers = load_network(name)
    assert "Convolution" in {layers.getLayer(number).type for number in range(len(layers.getLayerNames()) + 1)}
