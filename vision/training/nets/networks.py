"""The networks, in torch; only convolutions, ReLU and nearest upsampling, so that OpenCV 4.6 runs them.

The order of the outputs is shared with `vision/dice/finder.py` and `vision/dice/faces.py`.

    python -m vision.training.nets.networks blend NAME FOLDER SHARE    mean of our NAME (SHARE) and FOLDER's
"""

import io
import lzma
import sys
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from vision.dice.faces import CLASSES
from vision.models.network import MODELS
from vision.stacks.reader import OWN, SHARED
from vision.training.labelled import Rng

POSE = 5  # face centre x, y and side in shares of the crop; cos and sin of four times its angle
SIGNIFICANT_BITS = 8  # of a weight that is written
RISING = 0.1  # share of the steps in which the rate rises, before it falls to nothing


def block(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True)
    )


class Finder(nn.Module):
    """BGR -1..1, sides multiples of 32 → heat, log width and height over 16 px, offset of the centre in cells."""

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = block(3, 12, 2)
        self.at_4 = block(12, 24, 2)
        self.at_8 = nn.Sequential(block(24, 40, 2), block(40, 40))
        self.at_16 = nn.Sequential(block(40, 56, 2), block(56, 56), block(56, 56))
        self.at_32 = nn.Sequential(block(56, 72, 2), block(72, 72), block(72, 72))
        self.from_lowest = nn.Conv2d(72, 56, 1)
        self.mix_sixteenth = block(56, 56)
        self.from_sixteenth = nn.Conv2d(56, 40, 1)
        self.mix_eighth = block(40, 40)
        self.from_eighth = nn.Conv2d(40, 24, 1)
        self.mix_quarter = block(24, 20)
        self.head = nn.Conv2d(20, 5, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        nn.init.constant_(self.head.bias, 0)
        with torch.no_grad():
            self.head.bias[0] = -4.6  # a die in one cell of a hundred: keeps the first steps calm

    def forward(self, frame: Tensor) -> Tensor:
        quarter = self.at_4(self.at_2(frame))
        eighth = self.at_8(quarter)
        sixteenth = self.at_16(eighth)
        lowest = self.at_32(sixteenth)
        sixteenth = self.mix_sixteenth(sixteenth + self.up(self.from_lowest(lowest)))
        eighth = self.mix_eighth(eighth + self.up(self.from_sixteenth(sixteenth)))
        quarter = self.mix_quarter(quarter + self.up(self.from_eighth(eighth)))
        return self.head(quarter)


class Kept(nn.Module):
    """What it is given, and what a block makes of it: learns faster than the block alone."""

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        self.inside = inside

    def forward(self, given: Tensor) -> Tensor:
        return given + self.inside(given)


class CropReader(nn.Module):
    """One answer for a crop of one size: features, which `squeeze` takes in whole, and the scores that follow."""

    features: nn.Sequential
    squeeze: nn.Sequential
    head: nn.Conv2d

    def forward(self, crops: Tensor) -> Tensor:
        return self.head(self.squeeze(self.features(crops)))


class FaceReader(CropReader):
    """Crops of (3, 40, 40), each of mean 0 and deviation 1 → 8 class scores, then the pose of the top face."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            block(3, 14),
            block(14, 28, 2),
            block(28, 28),
            block(28, 48, 2),
            block(48, 48),
            block(48, 96, 2),
            block(96, 96),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(96, 96, 5), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(96, CLASSES + POSE, 1)


class CloseReader(CropReader):
    """As `FaceReader`, of crops (3, 64, 64): for the few dice that it leaves in doubt."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            block(3, 20),
            block(20, 36, 2),
            block(36, 36),
            block(36, 64, 2),
            block(64, 64),
            Kept(block(64, 64)),
            block(64, 96, 2),
            block(96, 96),
            Kept(block(96, 96)),
            block(96, 104, 2),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(104, 80, 4), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(80, CLASSES + POSE, 1)


class StackReader(CropReader):
    """`vision.stacks.reader.network_input` (6, 144, 80) → what is seen of a stack, then what its picture shares."""

    def __init__(self) -> None:
        super().__init__()
        fine = (block(6, 16, 2), block(16, 28), block(28, 40, 2), block(40, 40))
        self.features = nn.Sequential(*fine, block(40, 64, 2), block(64, 64, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(64, 64, (9, 5)), nn.ReLU(inplace=True), nn.Dropout(0.2))
        self.head = nn.Conv2d(64, OWN + SHARED, 1)


class StackHeights(nn.Module):
    """Of a stack (OWN + SHARED, 1, 1): what is seen of it, and the mean of what all of its picture share → scores of
    the heights 1 to 4."""

    def __init__(self) -> None:
        super().__init__()
        self.weigh = nn.Sequential(nn.Conv2d(OWN + SHARED, 64, 1), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(64, 4, 1)

    def forward(self, known: Tensor) -> Tensor:
        return self.head(self.weigh(known))


class SpaceReader(CropReader):
    """`vision.board.reader.space_input` (9, 70, 56) → scores of the heights 0 to 6, then where the top is."""

    def __init__(self) -> None:
        super().__init__()
        first = (nn.Conv2d(9, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        fine = (nn.Sequential(*first), block(16, 16), block(16, 32, 2), Kept(block(32, 32)), Kept(block(32, 32)))
        self.features = nn.Sequential(*fine, block(32, 64, 2), block(64, 64, 2))
        self.squeeze = nn.Sequential(nn.Conv2d(64, 40, (5, 4)), nn.ReLU(inplace=True))
        self.head = nn.Conv2d(40, 7 + 2, 1)


class TowerReader(nn.Module):
    """Crops of (16, 384, 160), as `vision.tower.maps.network_input` makes them → maps and status.

    maps    (16, 192, 80): four scores for each of the four pixels under a cell, see `vision.tower.maps`
    status  scores of standing, collapsed, empty
    """

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = nn.Sequential(
            nn.Conv2d(16, 16, 5, 2, 2, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True), block(16, 16)
        )
        self.at_4 = nn.Sequential(block(16, 32, 2), block(32, 32))
        self.at_8 = nn.Sequential(block(32, 48, 2), block(48, 48))
        self.at_16 = nn.Sequential(block(48, 64, 2), block(64, 64), block(64, 64))
        self.from_16, self.mix_8 = nn.Conv2d(64, 48, 1), block(48, 48)
        self.from_8, self.mix_4 = nn.Conv2d(48, 32, 1), block(32, 32)
        self.from_4, self.mix_2 = nn.Conv2d(32, 16, 1), block(16, 20)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.maps = nn.Conv2d(20, 16, 1)
        self.status = nn.Sequential(
            block(64, 16, 2), nn.Conv2d(16, 24, (12, 5)), nn.ReLU(inplace=True), nn.Dropout(0.2), nn.Conv2d(24, 3, 1)
        )

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        maps, lowest = self.maps_of(crops)
        return maps, self.status(lowest)

    def maps_of(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """The maps of crops of any height that 16 divides, and what the status is told from."""
        half = self.at_2(crops)
        quarter = self.at_4(half)
        eighth = self.at_8(quarter)
        lowest = self.at_16(eighth)
        eighth = self.mix_8(eighth + self.up(self.from_16(lowest)))
        quarter = self.mix_4(quarter + self.up(self.from_8(eighth)))
        half = self.mix_2(half + self.up(self.from_4(quarter)))
        return self.maps(half), lowest


class LoadFinder(nn.Module):
    """`vision.load.flat.finder_input` (6, h, w), sides multiples of 32 → at a quarter: heat and offset of tops."""

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = block(6, 16, 2)
        self.at_4 = nn.Sequential(block(16, 32, 2), block(32, 32))
        self.at_8 = nn.Sequential(block(32, 52, 2), block(52, 52))
        self.at_16 = nn.Sequential(block(52, 72, 2), block(72, 72))
        self.at_32 = nn.Sequential(block(72, 64, 2), block(64, 64))
        self.from_lowest = nn.Conv2d(64, 72, 1)
        self.mix_sixteenth = block(72, 56)
        self.from_sixteenth = nn.Conv2d(56, 52, 1)
        self.mix_eighth = block(52, 52)
        self.from_eighth = nn.Conv2d(52, 32, 1)
        self.mix_quarter = nn.Sequential(block(32, 32), block(32, 32))
        self.head = nn.Conv2d(32, 1 + 2, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        nn.init.constant_(self.head.bias, 0)
        with torch.no_grad():
            self.head.bias[0] = -4.6  # a middle in one cell of a hundred: keeps the first steps calm

    def forward(self, flat: Tensor) -> Tensor:
        quarter = self.at_4(self.at_2(flat))
        eighth = self.at_8(quarter)
        sixteenth = self.at_16(eighth)
        sixteenth = self.mix_sixteenth(sixteenth + self.up(self.from_lowest(self.at_32(sixteenth))))
        eighth = self.mix_eighth(eighth + self.up(self.from_sixteenth(sixteenth)))
        return self.head(self.mix_quarter(quarter + self.up(self.from_eighth(eighth))))


class BoxReader(CropReader):
    """`vision.load.cuts.reader_input` (6, 72, 72) → scores of no box and the 9 kinds, offset of the top's middle in
    units, scores of the levels 0 to 4 of the square that is marked."""

    def __init__(self) -> None:
        super().__init__()
        first = (nn.Conv2d(6, 24, 5, 2, 2, bias=False), nn.BatchNorm2d(24), nn.ReLU(inplace=True))
        self.features = nn.Sequential(
            nn.Sequential(*first),
            block(24, 40),
            block(40, 64, 2),
            Kept(block(64, 64)),
            block(64, 96, 2),
            Kept(block(96, 96)),
            block(96, 96, 2),
        )
        self.squeeze = nn.Sequential(nn.Conv2d(96, 96, 5), nn.ReLU(inplace=True), nn.Dropout(0.1))
        self.head = nn.Conv2d(96, 10 + 2 + 5, 1)


def half_bits() -> torch.autocast:
    """Convolutions within take half the bits where the processor is made for that, and three fifths of the time."""
    return torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported())


@dataclass(frozen=True)
class Course:
    """One run of a trainer: the network as it begins, how many steps, the highest rate, and the seed of its samples."""

    network: nn.Module
    steps: int
    rate: float
    seed: int = 7

    def teach(self, name: str, losses_of: Callable[[Rng], dict[str, Tensor]], weight_decay: float) -> None:
        """Runs all steps on one core; in each `losses_of` draws a sample and says by what it misses, all added up."""
        torch.set_num_threads(1)
        rng, mean = np.random.default_rng(self.seed), dict[str, float]()
        network = self.network.train().to(memory_format=torch.channels_last)
        optimiser = torch.optim.AdamW(network.parameters(), lr=self.rate, weight_decay=weight_decay)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, self.rate, total_steps=self.steps, pct_start=RISING)
        for step in range(1, self.steps + 1):
            with half_bits():
                losses = losses_of(rng)
            optimiser.zero_grad()
            torch.stack(list(losses.values())).sum().backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5)
            optimiser.step()
            schedule.step()
            for part, loss in losses.items():
                mean[part] = mean.get(part, 0.0) + (loss.item() - mean.get(part, 0.0)) / min(step, 100)
            if step % 100 == 0:
                told = ", ".join(f"{part} {loss:.4f}" for part, loss in mean.items())
                print(f"{name} {step}/{self.steps}: {told}", flush=True)


def committed(network: nn.Module, name: str, *shape: int) -> nn.Module:
    """The network with the weights of vision/models, batch norm folded into its convolutions, ready to go on."""
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
    """The network with the weights of vision/models and batch norm again, so that it learns as fast as a new one.

    Each norm takes the mean and the spread that `inputs` (n, …) have before it, and gives them back: the scores of
    these inputs are at first those of the folded network.
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
    """Gives each convolution before a batch norm the bias that takes its place."""
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
    """Writes ONNX into vision/models as plainly as it goes: opset 11, batch norm folded in, weights rounded to so many
    significant bits; compressed. Its inputs may be of any number, and of any size where the network has no fixed
    one."""
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
            weights.CopyFrom(numpy_helper.from_array(rounded(values, bits), weights.name))
    packed = lzma.compress(model.SerializeToString(), preset=9 | lzma.PRESET_EXTREME)
    (MODELS / f"{name}.onnx.xz").write_bytes(packed)


def blend(name: str, other: Path, share: float) -> None:
    """Writes the mean of a network of vision/models (`share` of it) and of one that was taught further from it or that
    it was taught from, in the folder `other`: surer of new pictures than either, mostly."""
    models = [
        onnx.load_from_string(lzma.decompress((folder / f"{name}.onnx.xz").read_bytes())) for folder in (MODELS, other)
    ]
    mine, theirs = (weights_of(model) for model in models)
    for weights, others in zip(mine, theirs, strict=True):
        mean = share * numpy_helper.to_array(weights) + (1 - share) * numpy_helper.to_array(others)
        weights.CopyFrom(numpy_helper.from_array(rounded(mean), weights.name))
    (MODELS / f"{name}.onnx.xz").write_bytes(
        lzma.compress(models[0].SerializeToString(), preset=9 | lzma.PRESET_EXTREME)
    )


def weights_of(model: onnx.ModelProto) -> list[onnx.TensorProto]:
    """Weights and biases of all convolutions in the order of the file, whatever they are called."""
    stored = {weights.name: weights for weights in model.graph.initializer}
    return [stored[name] for node in model.graph.node if node.op_type == "Conv" for name in node.input[1:]]


def rounded(values: np.ndarray, bits: int = SIGNIFICANT_BITS) -> np.ndarray:
    """Values with so many significant bits alone: with eight off by four in a thousand at most, and the files half as
    large."""
    shares, powers = np.frexp(values)
    return np.ldexp(np.round(shares * 2**bits) / 2**bits, powers).astype(np.float32)


if __name__ == "__main__":
    if sys.argv[1] != "blend":
        raise SystemExit(__doc__)
    blend(sys.argv[2], Path(sys.argv[3]), float(sys.argv[4]))
