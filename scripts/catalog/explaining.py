"""Everything that the catalogue knows about one machine, as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from components import catalog
from components.catalog import Machine, UnknownName, commitments, containers, fabric, fit, gpus, transports
from components.catalog.gcp_networks import gcp_networks
from components.catalog.node_images import NVIDIA
from components.catalog.tpus import tpu

from .fact_listing import plain
from .machine_listing import facts, offers
from .purpose import good_for
from .wanted import priced_regions

SCHEMA = "gpukit/catalog/explain/1"


def explain(machine: Machine) -> dict[str, Any]:
    """JSON values. What is not established is null, or missing from a list: never zero."""
    return {
        "schema": SCHEMA,
        "as_of": catalog.AS_OF.isoformat(),
        "machine": facts(machine),
        "good_for": list(good_for(machine)),
        "accelerator": _accelerator(machine),
        "network": _network(machine),
        "quotas": {market: [_quota(q) for q in catalog.quotas_for(machine, market)] for market in ("on_demand", "spot")},
        "images": [_image(kind, machine) for kind in catalog.images(machine.cloud) if kind.offered],
        "containers": list(_containers(machine)),
        "regions": list(catalog.regions(machine.cloud, machine.name)),
        "prices": [
            {"region": region, **offer}
            for region in priced_regions(machine)
            if (price := catalog.price(machine.cloud, region, machine.name))
            for offer in offers(price)
        ],
        "commitments": [plain(c) for c in commitments.commitments(machine.cloud) if c.family == machine.family],
    }


def _accelerator(machine: Machine) -> dict[str, Any] | None:
    try:
        return plain(tpu(machine.name)) if machine.vendor == "Google" else plain(gpus.gpu(machine.gpu_model or ""))
    except UnknownName:
        return None


def _network(machine: Machine) -> dict[str, Any]:
    moved = transports.transport(machine)
    wired = gcp_networks(machine) if machine.cloud == "gcp" else None
    return {
        "interfaces": [{"card": s.card, "device": s.device, "kind": s.kind} for s in fabric.layout(machine)]
        if machine.cloud == "aws"
        else None,
        "gcp_networks": plain(wired) if wired else None,
        "transport": {**plain(moved), "env": dict(moved.env)} if moved else None,
    }


def _quota(quota: catalog.Quota) -> dict[str, Any]:
    row = plain(quota)
    return {key: row[key] for key in ("code", "name", "unit", "default", "ambiguous", "source", "as_of", "age_days")}


def _image(kind: catalog.ImageKind, machine: Machine) -> dict[str, Any]:
    found = fit.node_image(kind, machine)
    shipped = ("driver", "driver_branch", "toolkit", "device_plugin", "efa")
    parts = {part: getattr(kind, part) for part in shipped}
    return {"kind": kind.kind, "runs": found.runs, "reason": found.reason, "notes": kind.notes, **parts}


def _containers(machine: Machine) -> Iterator[dict[str, Any]]:
    """The newest releases of each container under the driver of the image that the machine gets by default."""
    if machine.vendor != NVIDIA:
        return
    driver = _default_driver(machine)
    newest = {c.image: c for c in reversed(containers.containers())}
    for each in newest.values():
        found = fit.container(each, machine, driver)
        yield {
            "image": each.image,
            "release": each.release,
            "cuda": each.cuda,
            "driver": driver,
            "runs": found.runs,
            "reason": found.reason,
        }


def _default_driver(machine: Machine) -> str | None:
    try:
        kind = catalog.image(machine.cloud, catalog.ami_type(machine, "auto"))
    except catalog.UnsuitableImage:
        return None
    return kind.driver_branch if kind else None
