"""What each cloud calls the parts of the GPU stack, and how a wrong number of owners is mended there."""

from __future__ import annotations

from components.inventory import Cloud, Owner

NO_OPERATOR_DRIVER = {
    "al2023": "Amazon Linux 2023. The nodes never offer nvidia.com/gpu. "
    "Use the matching NVIDIA image type, such as AL2023_x86_64_NVIDIA, with driver.enabled=false.",
    "cos": "Container-Optimized OS. Its pods stay in ImagePullBackOff. "
    "Let GKE install the driver (gpu_driver_version LATEST or DEFAULT) with driver.enabled=false, or take image type UBUNTU_CONTAINERD.",
}
"""Operating systems for which the GPU Operator has no driver image (B6, C5)."""

_FOUND = {
    Owner.IMAGE: "image {image} ships it",
    Owner.CLOUD: "{cloud} installs it",
    Owner.GPU_OPERATOR: "the GPU Operator would install it again",
}
_TWICE: dict[Cloud, str] = {
    "aws": "which ends in a crash loop",
    "gcp": "which ends in a crash loop",
    "azure": "so that a pinned version never takes effect",
}
_FIXED_AT_CREATION = " Or make a new pool with gpuProfile.driver None: the profile is fixed at creation."
_SERVICES: dict[Cloud, str] = {"aws": "EKS", "gcp": "GKE", "azure": "AKS"}
_NOBODY: dict[Cloud, str] = {
    "aws": "Use the matching NVIDIA image type, such as AL2023_x86_64_NVIDIA.",
    "gcp": "Set gpu_driver_version to LATEST or DEFAULT; INSTALLATION_DISABLED is for pools whose driver someone else installs.",
    "azure": "Leave the pool's driver to AKS (gpuProfile is fixed at creation), which machines with a share of a GPU need, "
    "or set driver.enabled=true in the GPU Operator's values.",
}


def too_many(cloud: Cloud, image: str, owners: tuple[Owner, ...]) -> str:
    """Who brings the driver, and which one to switch off."""
    found = " and ".join(_FOUND[owner].format(image=image, cloud=_SERVICES[cloud]) for owner in owners if owner in _FOUND)
    text = f"{found}, {_TWICE[cloud]}. Set driver.enabled=false in the GPU Operator's values (the chart's default is true)."
    return text + (_FIXED_AT_CREATION if cloud == "azure" else "")


def toolkit_twice(cloud: Cloud, image: str, owners: tuple[Owner, ...]) -> str:
    """The same for the container toolkit."""
    found = " and ".join(_FOUND[owner].format(image=image, cloud=_SERVICES[cloud]) for owner in owners if owner in _FOUND)
    why = "; its nodes turn NotReady when the operator's pod goes" if cloud == "azure" else ""
    return f"{found}{why}. Set toolkit.enabled=false in the GPU Operator's values (the chart's default is true)."


def nobody(cloud: Cloud, image: str) -> str:
    """Who might have brought it."""
    own = f"image {image} ships none"
    service = "" if cloud == "aws" else f", {_SERVICES[cloud]} is told not to"
    text = f"{own}{service} and no GPU Operator of this cluster has driver.enabled. The nodes never offer nvidia.com/gpu. "
    return text + _NOBODY[cloud]
