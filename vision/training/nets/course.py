"""One training run: steps, rates and printed losses."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from vision.training.labelled import Rng

RISING = 0.1  # share of the steps in which the rate rises, before it falls to nothing


def half_bits() -> torch.autocast:
    """A context in which convolutions use bfloat16 if the processor supports it; it saves two fifths of the time."""
    return torch.autocast("cpu", torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported())


@dataclass(frozen=True)
class Course:
    """One training run: the initial network, number of steps, highest rate, and seed of the samples."""

    network: nn.Module
    steps: int
    rate: float
    seed: int = 7

    def teach(self, name: str, losses_of: Callable[[Rng], dict[str, Tensor]], weight_decay: float) -> None:
        """Runs all steps on one core; `losses_of` draws a sample and returns its losses, which are added up."""
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
                report = ", ".join(f"{part} {loss:.4f}" for part, loss in mean.items())
                print(f"{name} {step}/{self.steps}: {report}", flush=True)
