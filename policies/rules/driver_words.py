"""How the faults of GPU-DRV read on each cloud: who brings the driver there, and what to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.inventory import Cloud


@dataclass(frozen=True, kw_only=True)
class Words:
    """`{image}` stands for the pool's image."""

    twice: str
    """The driver has an owner beside the GPU Operator."""
    toolkit_twice: str
    nobody: str


_AWS = Words(
    twice="image {image} ships it and the GPU Operator would install it again, which ends in a crash loop. "
    "Set driver.enabled=false in the GPU Operator's values (the chart's default is true).",
    toolkit_twice="image {image} ships it and the GPU Operator would install it again. "
    "Set toolkit.enabled=false in the GPU Operator's values (the chart's default is true).",
    nobody="image {image} ships none and no GPU Operator of this cluster has driver.enabled. "
    "The nodes never offer nvidia.com/gpu. Use the matching NVIDIA image type, such as AL2023_x86_64_NVIDIA.",
)
_AZURE = Words(
    twice="AKS installs it and the GPU Operator would install it again: a pinned version never takes effect. Set driver.enabled=false in the "
    "GPU Operator's values (the chart's default is true), or gpuProfile.driver None on a new pool, as the profile is fixed at creation.",
    toolkit_twice="AKS installs it and the GPU Operator would install it again: nodes turn NotReady when its pod goes. "
    "Set toolkit.enabled=false in the GPU Operator's values (the chart's default is true).",
    nobody="gpuProfile.driver is None and no GPU Operator of this cluster has driver.enabled. The nodes never offer nvidia.com/gpu. "
    "Install the GPU Operator with driver and toolkit, or make a new pool without gpuProfile: it is fixed at creation.",
)
WORDS: Mapping[Cloud, Words] = {"aws": _AWS, "gcp": _AWS, "azure": _AZURE}
