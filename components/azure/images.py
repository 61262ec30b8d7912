"""Node images: what a word of the stack file means to AKS."""

from __future__ import annotations

from collections.abc import Mapping

from components.catalog import Machine

OS_SKUS: Mapping[str, str] = {"auto": "Ubuntu", "ubuntu": "Ubuntu", "azurelinux": "AzureLinux"}


def os_sku(machine: Machine, word: str) -> str:
    """The OS SKU that `word` means. Raises ValueError for a word that AKS has no image for, or accelerators that no image serves."""
    if word not in OS_SKUS:
        raise ValueError(f"image {word!r} is not known: take one of {', '.join(OS_SKUS)}")
    if machine.vendor not in (None, "NVIDIA"):
        raise ValueError(f"no AKS image is known to serve {machine.vendor} accelerators: take a machine with NVIDIA GPUs")
    return OS_SKUS[word]
