"""Random choice of words from a seed of each row's own, whoever else is in the batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.models.config import Sampling
from emoharbor.models.hf_libraries import library


@dataclass(frozen=True)
class SeededNoise:
    """Adds Gumbel noise to scores: the greatest sum is a sample of their softmax.

    transformers has one random state for a whole batch, so a reply would depend on its company.
    """

    generators: tuple[Any, ...]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """`scores` is (rows, words), as are the sums that are returned."""
        noise = library("torch").empty_like(scores)
        for row, generator in zip(noise, self.generators, strict=True):
            row.exponential_(generator=generator)
        return scores - noise.clamp_min(1e-30).log()


def choosing(sampling: Sampling, defaults: Any, seeds: Sequence[int], device: str) -> list[Any]:
    """The processors that make a greedy choice a sample; none where the greatest score is wanted.

    `defaults` is the model's generation_config: what `sampling` leaves open, it says.
    """
    own = bool(defaults.do_sample)
    temperature = sampling.temperature
    if temperature is None:
        temperature = (defaults.temperature or 1.0) if own else 0.0
    if temperature == 0:
        return []
    parts = library("transformers.generation.logits_process")
    steps: list[Any] = [parts.TemperatureLogitsWarper(float(temperature))]
    if own and defaults.top_k:
        steps.append(parts.TopKLogitsWarper(int(defaults.top_k)))
    top_p = sampling.top_p if sampling.top_p is not None else (defaults.top_p if own else None)
    if top_p is not None and top_p < 1:
        steps.append(parts.TopPLogitsWarper(float(top_p)))
    generator = library("torch").Generator
    return [*steps, SeededNoise(tuple(generator(device).manual_seed(seed) for seed in seeds))]
