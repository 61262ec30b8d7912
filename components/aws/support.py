"""What EKS does when the support of a cluster's Kubernetes version ends."""

from __future__ import annotations

from typing import Literal

from components import catalog
from components.clock import now
from components.spec import Spec


def support(spec: Spec) -> Literal["STANDARD", "EXTENDED"]:
    """STANDARD in dev: EKS upgrades the cluster instead of billing the dearer extended support.

    EXTENDED where an upgrade that nobody asked for would hurt (staging, prod), and for a version whose standard support is over, which
    EKS takes under no other policy. Source: EKS User Guide, "View current cluster upgrade policy".
    """
    ends = {version.minor: version.end_of_standard_support for version in catalog.kubernetes_versions("aws")}
    end = ends.get(spec.kubernetes_version)
    over = end is not None and end < now().date()
    return "EXTENDED" if spec.protected or over else "STANDARD"
