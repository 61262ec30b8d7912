"""How AKS itself divides GPUs, where it installs the driver: the profile of an agent pool, fixed when the pool is made.

Source: AKS documentation, "Create a multi-instance GPU node pool".
"""

from __future__ import annotations

import re

PROFILES = ("1g", "2g", "3g", "4g", "7g")


def gpu_instance_profile(profile: str | None) -> str | None:
    """AKS's word for the MIG profile: `MIG1g` for `1g.10gb`. Raises ValueError for a profile that AKS does not make; None stays None."""
    if profile is None:
        return None
    slices = re.fullmatch(r"(\dg)\.\d+gb", profile)
    if slices is None or slices[1] not in PROFILES:
        raise ValueError(
            f"AKS divides GPUs into {', '.join(PROFILES)} alone, and {profile!r} is none of them: use such as 1g.10gb, or none"
        )
    return f"MIG{slices[1]}"
