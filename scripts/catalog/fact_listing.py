"""`gpukit catalog gpus`, `quotas`, `drivers` and `charts`: rows of the catalogue as they stand."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from datetime import date
from typing import Any

from components import catalog
from components.catalog import Machine, commitments, containers, drivers, gpus
from scripts.counted import counted

from .listing import Column, Listing, Row, age_days
from .wanted import Wanted

_GPU_COLUMNS = (
    Column("model", "model", folds=True),
    Column("architecture", "architecture"),
    Column("compute_capability", "CC", "number"),
    Column("memory_gib", "GiB", "number"),
    Column("bandwidth_gbs", "GB/s", "number"),
    Column("bf16_tflops", "BF16", "number"),
    Column("fp8_tflops", "FP8", "number"),
    Column("nvlink_gbs", "NVLink", "number"),
    Column("mig_instances", "MIG", "number"),
    Column("tdp_w", "W", "number"),
    Column("age_days", "age", "age"),
)


def gpu_models(wanted: Wanted) -> Listing:
    """GPU models; with a cloud, region or machine filter only those that a machine left over carries."""
    narrowed = wanted.cloud or wanted.region or wanted.rdma or wanted.spot
    carried = {machine.gpu_model for machine in wanted.machines()} | _attached(wanted) if narrowed else None
    rows = tuple(
        plain(gpu)
        for gpu in gpus.gpus()
        if (carried is None or gpu.model in carried)
        and (wanted.gpu is None or wanted.gpu.casefold() in gpu.model.casefold())
        and gpu.memory_gib >= (wanted.min_memory_gib or 0)
    )
    return Listing(kind="gpus", columns=_GPU_COLUMNS, rows=rows, note="Dense TFLOPS; NVLink in GB/s; MIG: most instances.")


def _attached(wanted: Wanted) -> set[str]:
    """Models that GCP attaches to N1 machines of one's choice: no machine row carries them."""
    if "gcp" not in wanted.clouds() or wanted.rdma:
        return set()
    offered = [gpu for gpu in gpus.attached_gpus() if wanted.region in (None, *catalog.regions("gcp", gpu.accelerator))]
    return {gpu.gpu_model for gpu in offered}


_QUOTA_COLUMNS = (
    Column("cloud", "cloud"),
    Column("code", "code", folds=True),
    Column("name", "name", folds=True),
    Column("unit", "unit"),
    Column("market", "market"),
    Column("default", "new account", "number"),
    Column("age_days", "age", "age"),
)


def quotas(wanted: Wanted, machine: Machine | None = None) -> Listing:
    """Quotas of the clouds, or those that one machine counts against."""
    if machine is None:
        found = [q for cloud in wanted.clouds() for q in catalog.quotas(cloud)]
    else:
        markets = ("spot",) if wanted.spot else ("on_demand", "spot")
        found = list(dict.fromkeys(q for market in markets for q in catalog.quotas_for(machine, market)))
    kept = [q for q in found if not wanted.spot or q.market in ("spot", "other")]
    return Listing(kind="quotas", columns=_QUOTA_COLUMNS, rows=tuple(plain(q) for q in kept), note=_quota_note(machine, kept))


def _quota_note(machine: Machine | None, found: list[catalog.Quota]) -> str:
    if machine is not None and not found:
        return f"No quota is known that {machine.name} counts against; that is no promise that there is none."
    unclear = [q.code for q in found if q.ambiguous]
    return f"Sources disagree which one applies: {', '.join(unclear)}." if unclear else "Per region, unless the name says otherwise."


def driver_tables(driver: str | None = None) -> tuple[Listing, ...]:
    """CUDA majors, driver branches, containers and frameworks with the oldest driver each takes; with `driver`, whether that one does."""
    majors = [{**plain(m), "runs": _at_least(driver, m.min_driver)} for m in drivers.cuda_majors()]
    frameworks = [{**plain(f), "runs": _at_least(driver, f.min_driver)} for f in drivers.frameworks()]
    images = [{**plain(c), "min_driver": c.min_driver, "runs": _at_least(driver, c.min_driver)} for c in containers.containers()]
    verdict = (Column("runs", f"driver {driver} runs it"),) if driver else ()
    return (
        _part("drivers", majors, Column("major", "CUDA", "number"), Column("min_driver", "oldest driver", "number"), *verdict),
        _part(
            "branches",
            [plain(b) for b in drivers.driver_branches()],
            Column("branch", "branch", "number"),
            Column("kind", "kind"),
            Column("end_of_life", "ends"),
            Column("max_cuda_major", "up to CUDA", "number"),
        ),
        _part(
            "containers",
            images,
            Column("image", "container"),
            Column("release", "release"),
            Column("cuda", "CUDA", "number"),
            Column("min_driver", "oldest driver", "number"),
            *verdict,
        ),
        _part(
            "frameworks",
            frameworks,
            Column("name", "framework"),
            Column("cuda", "CUDA", "number"),
            Column("cudnn", "cuDNN", "number"),
            Column("nccl", "NCCL", "number"),
            Column("min_driver", "oldest driver", "number"),
            *verdict,
        ),
    )


def _part(kind: str, rows: Iterable[Row], *columns: Column) -> Listing:
    return Listing(kind=kind, columns=(*columns, Column("age_days", "age", "age")), rows=tuple(rows))


def _at_least(driver: str | None, floor: str) -> bool | None:
    return None if driver is None else drivers.at_least(driver, floor)


_SERVICE_COLUMNS = (
    Column("cloud", "cloud"),
    Column("service", "service", folds=True),
    Column("sku", "what", folds=True),
    Column("region", "region", folds=True),
    Column("usd", "USD", "usd"),
    Column("unit", "per"),
    Column("age_days", "age", "age"),
)


def services(wanted: Wanted) -> Listing:
    """Everything with a price that is no machine: control planes, NAT, addresses, disks, file systems, traffic."""
    rows = tuple(
        {"cloud": cloud, "service": service, "sku": sku, "region": region, **plain(figure)}
        for cloud in wanted.clouds()
        for service, sku, region in catalog.priced_services(cloud)
        if wanted.region in (None, region) and (figure := catalog.service_price(cloud, region, service, sku))
    )
    return Listing(kind="prices-services", columns=_SERVICE_COLUMNS, rows=rows, note=f"{counted(len(rows), 'price')}.")


_COMMITMENT_COLUMNS = (
    Column("cloud", "cloud"),
    Column("family", "family", folds=True),
    Column("kind", "kind", folds=True),
    Column("term", "term"),
    Column("discount_percent", "% off", "number"),
    Column("age_days", "age", "age"),
)


def discounts(wanted: Wanted) -> Listing:
    """What committing to one or three years takes off."""
    rows = tuple(plain(each) for cloud in wanted.clouds() for each in commitments.commitments(cloud))
    return Listing(kind="prices-commitments", columns=_COMMITMENT_COLUMNS, rows=rows, note="Below the on-demand price of the family.")


_CHART_COLUMNS = (
    Column("name", "chart"),
    Column("version", "version"),
    Column("newest_seen", "newer seen"),
    Column("where", "repository", folds=True),
    Column("age_days", "age", "age"),
)


def charts() -> Listing:
    """Pinned charts."""
    rows = tuple(
        {**plain(chart), "where": chart.oci or chart.repository, "newest_seen": (chart.newer or "").partition(" ")[0] or None}
        for chart in catalog.charts()
    )
    return Listing(kind="charts", columns=_CHART_COLUMNS, rows=rows, note="Newer seen: announced after the pin, its values were not read.")


def plain(fact: Any) -> dict[str, Any]:
    """A row of the catalogue as JSON values, with its age."""
    values = {field.name: getattr(fact, field.name) for field in dataclasses.fields(fact)}
    as_of: date | None = values["as_of"]
    return {**{key: _json(value) for key, value in values.items()}, "as_of": _json(as_of) or "undated", "age_days": age_days(as_of)}


def _json(value: object) -> Any:
    match value:
        case date():
            return value.isoformat()
        case tuple():
            return [_json(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
