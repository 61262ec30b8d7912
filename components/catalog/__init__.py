"""Facts: machines, fabrics, prices, quotas, images, charts. Pure look-up over data files.

Every fact carries its source and the day on which it held; what is not established is None, never zero.
Nothing is loaded before it is asked for: neither a part of this package nor its data.
"""

from __future__ import annotations

from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import (
        commitments,
        containers,
        crds,
        drivers,
        fabric,
        fit,
        gcp_networks,
        gke_images,
        gke_machines,
        gpus,
        grid,
        plain_families,
        storage,
        tpus,
        transports,
    )
    from .account_quotas import Quota, quota, quotas, quotas_for
    from .helm_charts import Chart, UnrecordedDefault, chart, chart_defaults, charts, has_value, value_paths
    from .machine_types import Card, Machine, all_regions, find_machine, machine, machines, regions
    from .names import Cloud, UnknownName
    from .node_images import ImageKind, UnsuitableImage, ami_type, image, images
    from .prices import Figure, MachinePrice, price, priced, priced_services, service_names, service_price
    from .versions import KubernetesVersion, kubernetes_versions

AS_OF = date(2026, 11, 30)
"""The day on which the catalogue was put together. Rows carry their own, earlier dates."""

_PARTS = {
    "account_quotas": ("Quota", "quota", "quotas", "quotas_for"),
    "helm_charts": ("Chart", "UnrecordedDefault", "chart", "chart_defaults", "charts", "has_value", "value_paths"),
    "machine_types": ("Card", "Machine", "all_regions", "find_machine", "machine", "machines", "regions"),
    "names": ("Cloud", "UnknownName"),
    "node_images": ("ImageKind", "UnsuitableImage", "ami_type", "image", "images"),
    "prices": ("Figure", "MachinePrice", "price", "priced", "priced_services", "service_names", "service_price"),
    "versions": ("KubernetesVersion", "kubernetes_versions"),
}
_HOMES = {name: part for part, names in _PARTS.items() for name in names}
_MODULES = (
    "commitments",
    "containers",
    "crds",
    "drivers",
    "fabric",
    "fit",
    "gcp_networks",
    "gke_images",
    "gke_machines",
    "gpus",
    "grid",
    "plain_families",
    "storage",
    "tpus",
    "transports",
)

__all__ = [
    "AS_OF",
    "Card",
    "Chart",
    "Cloud",
    "Figure",
    "ImageKind",
    "KubernetesVersion",
    "Machine",
    "MachinePrice",
    "Quota",
    "UnknownName",
    "UnrecordedDefault",
    "UnsuitableImage",
    "all_regions",
    "ami_type",
    "chart",
    "chart_defaults",
    "charts",
    "commitments",
    "containers",
    "crds",
    "drivers",
    "fabric",
    "find_machine",
    "fit",
    "gcp_networks",
    "gke_images",
    "gke_machines",
    "gpus",
    "grid",
    "has_value",
    "image",
    "images",
    "kubernetes_versions",
    "machine",
    "machines",
    "plain_families",
    "price",
    "priced",
    "priced_services",
    "quota",
    "quotas",
    "quotas_for",
    "regions",
    "service_names",
    "service_price",
    "storage",
    "tpus",
    "transports",
    "value_paths",
]


def __getattr__(name: str) -> object:
    """Load the part that holds a public name when the name is first used (PEP 562), and keep it."""
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
