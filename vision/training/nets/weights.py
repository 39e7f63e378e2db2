"""Weights of networks: reads them from vision/models, folds, rounds, averages and writes them there as ONNX."""

import io
import lzma
from copy import deepcopy
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.models.network import MODELS

SIGNIFICANT_BITS = 8  # of a written weight


def committed(network: nn.Module, name: str, *shape: int) -> nn.Module:
    """The network with the weights of vision/models and batch norm folded into its convolutions, ready to train."""
    fold(network)
    called: list[nn.Conv2d] = []  # in the order of the file
    layers = [layer for layer in network.modules() if isinstance(layer, nn.Conv2d)]
    hooks = [layer.register_forward_hook(lambda layer, *_: called.append(layer)) for layer in layers]
    with torch.no_grad():
        network.eval()(torch.zeros(1, *shape))
    for hook in hooks:
        hook.remove()
    model = onnx.load_from_string(lzma.decompress((MODELS / f"{name}.onnx.xz").read_bytes()))
    stored = [torch.tensor(numpy_helper.to_array(weights)) for weights in weights_of(model)]
    for layer, weight, bias in zip(called, stored[::2], stored[1::2], strict=True):
        layer.load_state_dict({"weight": weight, "bias": bias})
    return network.train()


def with_norms(network: nn.Module, name: str, inputs: Tensor) -> nn.Module:
    """The network with the weights of vision/models and batch norm again, so that it trains as fast as a new one.

    Each norm removes the mean and spread that `inputs` (n, …) have before it and adds them again. So at first the
    scores of these inputs are those of the folded network.
    """
    folded = committed(deepcopy(network), name, *inputs.shape[1:])
    biases: dict[nn.Module, Tensor] = {}  # of the norms
    for plain, part in zip(folded.modules(), network.modules(), strict=True):
        if isinstance(part, nn.Conv2d):
            part.weight.data.copy_(plain.weight)
            if part.bias is not None:
                part.bias.data.copy_(plain.bias)
        if isinstance(part, nn.Sequential):
            for i in range(len(part) - 1):
                if isinstance(part[i + 1], nn.BatchNorm2d):
                    biases[part[i + 1]] = plain[i].bias.detach()

    def settle(norm: nn.Module, given: tuple[Tensor, ...]) -> None:
        mean, spread = given[0].mean((0, 2, 3)), given[0].var((0, 2, 3), correction=0)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(spread)
        norm.weight.copy_((spread + norm.eps).sqrt())
        norm.bias.copy_(mean + biases[norm])

    hooks = [norm.register_forward_pre_hook(settle) for norm in biases]
    with torch.no_grad():
        network.eval()(inputs)
    for hook in hooks:
        hook.remove()
    return network.train()


def fold(network: nn.Module) -> None:
    """Folds each batch norm into the convolution before it."""
    for part in network.modules():
        if isinstance(part, nn.Sequential):
            for i in range(len(part) - 1):
                before = part[i]
                if isinstance(before, nn.Conv2d) and isinstance(part[i + 1], nn.BatchNorm2d):
                    part[i] = nn.utils.fuse_conv_bn_eval(before.eval(), part[i + 1].eval())
                    part[i + 1] = nn.Identity()


def multiply_adds(network: nn.Module, *shape: int) -> int:
    """Multiply-adds of all convolutions for one input of `shape`."""
    total = 0

    def count(layer: nn.Conv2d, _: tuple[Tensor, ...], out: Tensor) -> None:
        nonlocal total
        total += out[0].numel() * layer.in_channels * layer.kernel_size[0] * layer.kernel_size[1]

    hooks = [m.register_forward_hook(count) for m in network.modules() if isinstance(m, nn.Conv2d)]
    network.eval()
    with torch.no_grad():
        network(torch.zeros(1, *shape))
    for hook in hooks:
        hook.remove()
    return total


def export(
    network: nn.Module,
    name: str,
    *shape: int,
    outputs: tuple[str, ...] = ("output",),
    bits: int = SIGNIFICANT_BITS,
) -> None:
    """Writes the network into vision/models as compressed ONNX, opset 11.

    Batch norm is folded in, and weights are rounded to `bits` significant bits. It takes any number of inputs, and any
    size of them if the network does.
    """
    network.eval()
    written = io.BytesIO()
    torch.onnx.export(
        network,
        (torch.zeros(1, *shape),),
        written,
        opset_version=11,
        input_names=["input"],
        output_names=list(outputs),
        dynamo=False,
    )
    model = onnx.load_from_string(written.getvalue())
    for value in (*model.graph.input, *model.graph.output):
        for axis, size in enumerate(value.type.tensor_type.shape.dim):
            if axis != 1:
                size.dim_param = f"{value.name}{axis}"
    for weights in model.graph.initializer:
        values = numpy_helper.to_array(weights)
        if values.dtype == np.float32:
            weights.CopyFrom(numpy_helper.from_array(round_weights(values, bits), weights.name))
    packed = lzma.compress(model.SerializeToString(), preset=9 | lzma.PRESET_EXTREME)
    (MODELS / f"{name}.onnx.xz").write_bytes(packed)


def blend(name: str, other: Path, share: float) -> None:
    """Writes the mean of a network of vision/models, weighed by `share`, and the one in the folder `other`.

    One of them was trained further from the other. The mean is mostly surer on new pictures than either.
    """
    models = [
        onnx.load_from_string(lzma.decompress((folder / f"{name}.onnx.xz").read_bytes())) for folder in (MODELS, other)
    ]
    mine, theirs = (weights_of(model) for model in models)
    for weights, others in zip(mine, theirs, strict=True):
        mean = share * numpy_helper.to_array(weights) + (1 - share) * numpy_helper.to_array(others)
        weights.CopyFrom(numpy_helper.from_array(round_weights(mean), weights.name))
    (MODELS / f"{name}.onnx.xz").write_bytes(
        lzma.compress(models[0].SerializeToString(), preset=9 | lzma.PRESET_EXTREME)
    )


def weights_of(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Weights and biases of all convolutions in the order of the file, whatever their names."""
    stored = {weights.name: weights for weights in model.graph.initializer}
    return [stored[name] for node in model.graph.node if node.op_type == "Conv" for name in node.input[1:]]


def round_weights(values: np.ndarray, bits: int = SIGNIFICANT_BITS) -> np.ndarray:
    """Values with `bits` significant bits; eight halve the files and err by four in a thousand at most."""
    shares, powers = np.frexp(values)
    return np.ldexp(np.round(shares * 2**bits) / 2**bits, powers).astype(np.float32)
