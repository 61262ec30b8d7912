"""Every field of the spec is honoured on GCP or refused by name. A field that nobody thought of fails here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from components.gcp.assembly import refusals
from components.resource import ResourceSet
from components.spec import InferenceSpec, TrainingSpec
from tests.components.every_field import leaves
from tests.components.patching import changed

from .specs import INFERENCE, REGION, TPU, TRAINING, built, spec

KEY = "projects/ml-platform-dev/locations/us-central1/keyRings/ring/cryptoKeys/nodes"
RESERVED = {"mode": "reservation", "id": "h100-2027"}
CALENDAR = {"mode": "calendar", "id": "h100-2027", "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}
EXISTING = {
    "network": "shared",
    "node_subnets": {"us-central1-a": "nodes", "us-central1-b": "nodes"},
    "pod_range": "pods",
    "service_range": "services",
    "fabric_cidr": "10.200.0.0/18",
}
WITHOUT_FABRIC = {key: value for key, value in EXISTING.items() if key != "fabric_cidr"}
EXISTING_BASE = changed(TRAINING, {"network": {"existing": EXISTING}})
SHARED_BASE = changed(INFERENCE, {"network": {"existing": WITHOUT_FABRIC}})
OPEN_CALENDAR = {**CALENDAR, "starts": "2026-12-30T11:30Z"}
CALENDAR_BASE = changed(TRAINING, {"pools": {"capacity": OPEN_CALENDAR, "nodes": {"min": 2, "max": 4}}})
BUDGET_BASE = changed(TRAINING, {"billing_account": "012345-6789AB-CDEF01", "budget": {"monthly_usd": 9000}})
LUSTRE = {"tib": 17.578125, "mb_s_per_tib": 500}


@dataclass(frozen=True)
class Case:
    """One change of a valid file. `path` as the walk spells it; a refused section covers everything in it."""

    path: str
    patch: dict[str, Any]
    base: dict[str, Any] = field(default_factory=lambda: TRAINING)


HONOURED = (
    Case("account", {"account": "other-project"}),
    Case("environment", {"environment": "prod"}),
    Case("owner", {"owner": "research"}),
    Case("name", {"name": "hall"}),
    Case("lease.expires", {"lease": {"expires": "2027-03-01"}}),
    Case("kubernetes_version", {"kubernetes_version": "1.34"}),
    Case("network.zones", {"network": {"zones": ["us-central1-a", "us-central1-b", "us-central1-c"]}}),
    Case("network.cidr", {"network": {"cidr": "10.80.0.0/16"}}),
    Case("network.nat", {"network": {"nat": "none"}}),
    Case("network.existing", {"network": {"existing": EXISTING}}),
    Case("network.existing.network", {"network": {"existing": {**EXISTING, "network": "other"}}}, EXISTING_BASE),
    Case(
        "network.existing.node_subnets",
        {"network": {"existing": {**EXISTING, "node_subnets": {"us-central1-a": "other", "us-central1-b": "other"}}}},
        EXISTING_BASE,
    ),
    Case("network.existing.pod_range", {"network": {"existing": {**EXISTING, "pod_range": "other"}}}, EXISTING_BASE),
    Case("network.existing.service_range", {"network": {"existing": {**EXISTING, "service_range": "other"}}}, EXISTING_BASE),
    Case("network.existing.fabric_cidr", {"network": {"existing": {**EXISTING, "fabric_cidr": "10.201.0.0/18"}}}, EXISTING_BASE),
    Case("network.existing.host_project", {"network": {"existing": {**WITHOUT_FABRIC, "host_project": "net-host"}}}, SHARED_BASE),
    Case("network.flow_logs", {"network": {"flow_logs": True}}),
    Case("access.api", {"access": {"api": "private", "api_cidrs": []}}),
    Case("access.api_cidrs", {"access": {"api_cidrs": ["198.51.100.0/24"]}}),
    Case("access.admins", {"access": {"admins": ["group:others@example.com"]}}),
    Case("access.viewers", {"access": {"viewers": ["serviceAccount:look@ml-platform-dev.iam.gserviceaccount.com"]}}),
    Case("system.machine", {"system": {"machine": "e2-standard-8"}}),
    Case("system.nodes.min", {"system": {"nodes": {"min": 3, "max": 4}}}),
    Case("system.nodes.max", {"system": {"nodes": {"min": 2, "max": 5}}}),
    Case("system.disk_gib", {"system": {"disk_gib": 120}}),
    Case("pools.name", {"pools": {"name": "trainers"}}),
    Case("pools.machine", {"pools": {"machine": "a3-highgpu-8g"}}),
    Case("pools.zone", {"pools": {"zone": "us-central1-b"}}),
    Case("pools.nodes.min", {"pools": {"nodes": {"min": 1, "max": 4}}}),
    Case("pools.nodes.max", {"pools": {"nodes": {"min": 0, "max": 5}}}),
    Case("pools.capacity.OnDemand.mode", {"pools": {"capacity": {"mode": "on_demand"}}}),
    Case("pools.capacity.Spot.mode", {"pools": {"capacity": {"mode": "spot"}}}, INFERENCE),
    Case("pools.capacity.Reservation.mode", {"pools": {"capacity": RESERVED}}),
    Case("pools.capacity.Reservation.id", {"pools": {"capacity": {**RESERVED, "id": "other"}}}),
    Case("pools.capacity.Reservation.project", {"pools": {"capacity": {**RESERVED, "project": "shares-it"}}}),
    Case("pools.capacity.Reservation.block", {"pools": {"capacity": {**RESERVED, "block": "block-0001"}}}),
    Case("pools.capacity.FlexStart.mode", {"pools": {"capacity": {"mode": "flex_start"}}}),
    Case("pools.capacity.FlexStart.max_run_hours", {"pools": {"capacity": {"mode": "flex_start", "max_run_hours": 24}}}),
    Case("pools.capacity.Queued.mode", {"pools": {"capacity": {"mode": "queued"}}}),
    Case("pools.capacity.Queued.max_run_hours", {"pools": {"capacity": {"mode": "queued", "max_run_hours": 24}}}),
    Case("pools.capacity.Calendar.mode", {"pools": {"capacity": CALENDAR}}),
    Case("pools.capacity.Calendar.id", {"pools": {"capacity": {**CALENDAR, "id": "other"}}}),
    Case("pools.capacity.Calendar.starts", {"pools": {"capacity": {**OPEN_CALENDAR, "starts": "2027-01-11T11:30Z"}}}, CALENDAR_BASE),
    Case("pools.capacity.Calendar.ends", {"pools": {"capacity": {**OPEN_CALENDAR, "ends": "2026-12-31T11:30Z"}}}, CALENDAR_BASE),
    Case("pools.node_auto_repair", {"pools": {"node_auto_repair": False}}),
    Case("monitoring.log_retention_days", {"monitoring": {"log_retention_days": 14}}),
    Case("monitoring.metrics", {"monitoring": {"metrics": "cloud"}}),
    Case("pools.image", {"pools": {"image": "ubuntu"}}, INFERENCE),
    Case("pools.fabric", {"pools": {"fabric": "none"}}),
    Case("pools.placement", {"pools": {"placement": "none"}}),
    Case("pools.placement.group", {"pools": {"placement": {"group": "made-before"}}}),
    Case("pools.updates", {"pools": {"updates": "surge"}}),
    Case("pools.disk_gib", {"pools": {"disk_gib": 600}}),
    Case("pools.labels", {"pools": {"labels": {"team": "research"}}}),
    Case("pools.topology", {"pools": {"topology": "2x8"}}, TPU),
    Case("pools.sharing", {"pools": {"sharing": {"time_slices": 4}}}, INFERENCE),
    Case("pools.sharing.Mig.mig", {"pools": {"sharing": {"mig": "1g.10gb"}}}),
    Case("pools.sharing.TimeSlices.time_slices", {"pools": {"sharing": {"time_slices": 2}}}, INFERENCE),
    Case("storage.buckets.name", {"storage": {"buckets": [{"name": "checkpoints"}]}}),
    Case("storage.buckets.use", {"storage": {"buckets": [{"name": "checkpoints", "use": "checkpoint"}]}}),
    Case("storage.shared_filesystem.tib", {"storage": {"shared_filesystem": LUSTRE}}),
    Case("storage.shared_filesystem.mb_s_per_tib", {"storage": {"shared_filesystem": {**LUSTRE, "mb_s_per_tib": 1000}}}),
    Case("storage.shared_filesystem.mount", {"storage": {"shared_filesystem": {**LUSTRE, "mount": "/data"}}}),
    Case("budget.alert_emails", {"budget": {"monthly_usd": 9000, "alert_emails": ["ml@example.com"]}}, BUDGET_BASE),
    Case("budget.monthly_usd", {"budget": {"monthly_usd": 8000}}, BUDGET_BASE),
    Case("billing_account", {"billing_account": "FEDCBA-987654-3210FE"}, BUDGET_BASE),
    Case("encryption_key", {"encryption_key": KEY}),
    Case("tags", {"tags": {"cost-center": "4712"}}),
)

REFUSED = (
    *(Case(f"idle.watch.{field}", {"idle": {"watch": {field: value}}}) for field, value in (("schedule_minutes", 30), ("notify_arn", "x"))),
    Case("network.existing.control_plane_subnets", {"network": {"existing": {**EXISTING, "control_plane_subnets": ["x"]}}}),
    Case("network.endpoints", {"network": {"endpoints": "private"}}),
    *(Case(f"access.kubeconfig.{field}", {"access": {"kubeconfig": {field: "x"}}}) for field in ("profile", "role")),
    Case("addon_versions", {"addon_versions": {"coredns": "v1.13.2-eksbuild.1"}}),
    Case(
        "pools.machines",
        {"pools": {"machine": None, "machines": ["g2-standard-8", "g2-standard-12"], "capacity": {"mode": "spot"}}},
        INFERENCE,
    ),
    Case("pools.capacity.Spot.max_usd_per_hour", {"pools": {"capacity": {"mode": "spot", "max_usd_per_hour": 3.0}}}),
    Case("pools.capacity.Reservation.nodes", {"pools": {"capacity": {**RESERVED, "nodes": 2}}}),
    Case("pools.capacity.Reservation.group", {"pools": {"capacity": {**RESERVED, "group": "x"}}}),
    Case("pools.capacity.Reservation.placement_group", {"pools": {"capacity": {**RESERVED, "placement_group": "x"}}}),
    Case("pools.capacity.CapacityBlock", {"pools": {"capacity": {**CALENDAR, "mode": "capacity_block"}}}),
    Case("storage.shared_filesystem.tier", {"storage": {"shared_filesystem": {**LUSTRE, "tier": "filestore"}}}),
    Case(
        "storage.shared_filesystem.bucket",
        {"storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {**LUSTRE, "bucket": "sets"}}},
    ),
    Case("model", {"model": {"name": "m", "parameters_billions": 70}}),
    Case("queue.teams", {"queue": {"teams": [{"name": "research", "gpus": 8}]}}),
    Case("serving", {"serving": {"server": "vllm"}}, INFERENCE),
)

JUDGED = {"budget.hourly_usd", "pricing.commitments", "pricing.nat_gb_per_month"}
"""Ceilings, discounts and assumed traffic: they build nothing, the guardrails and the cost judge by them. So do assumed interruptions."""
OBEYED = {"idle.grace_minutes", "idle.strongest_action", "idle.notify"}
"""They build nothing: `gpukit idle` reads them (tests/idle/test_targets.py)."""
CHOOSES = {"cloud", "workload"}
"""Which family and which cluster is built."""
ALL = sorted({*leaves(TrainingSpec), *leaves(InferenceSpec)})


def shown(case: Case) -> str:
    return case.path


def covered(path: str) -> bool:
    exact = {case.path for case in (*HONOURED, *REFUSED)} | JUDGED | OBEYED | CHOOSES
    sections = (*(f"{case.path}." for case in REFUSED), "pricing.commitments.", "pricing.interruptions.")
    return path in exact or path.startswith(sections)


@pytest.fixture(autouse=True)
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    """The windows of these files lie about this day, whenever the tests run."""
    monkeypatch.setenv("GPUKIT_WORLD", "sandbox")
    monkeypatch.setenv("GPUKIT_NOW", "2027-01-01T00:00:00Z")


@pytest.mark.parametrize("path", ALL)
def test_every_field_has_a_case_here(path: str) -> None:
    assert covered(path), f"{path}: build it on GCP or refuse it, and add a case"


def test_no_case_is_about_a_field_that_is_gone() -> None:
    gone = [case.path for case in (*HONOURED, *REFUSED) if not any(path == case.path or path.startswith(f"{case.path}.") for path in ALL)]
    assert gone == []


@pytest.mark.parametrize("case", HONOURED, ids=shown)
def test_a_field_that_is_built_changes_what_is_built(case: Case) -> None:
    before, after = spec(case.base), spec(case.base, case.patch)
    assert refusals(after, REGION) == []
    assert facts(built(before)) != facts(built(after))


def facts(made: ResourceSet) -> list[tuple[Any, ...]]:
    return [(r.urn, r.inputs, r.property_dependencies) for r in made]


@pytest.mark.parametrize("case", REFUSED, ids=shown)
def test_a_field_that_is_not_built_is_refused_by_name_and_alone(case: Case) -> None:
    [refusal] = refusals(spec(case.base, case.patch), REGION)
    field_ = ".".join(part for part in case.path.split(".") if not part[0].isupper())
    path = refusal.path.replace("pools[0]", "pools")
    assert path.startswith(field_) or field_.startswith(path)
    assert refusal.message


@pytest.mark.parametrize("base", [TRAINING, INFERENCE, TPU], ids=["training", "inference", "tpu"])
def test_a_plain_file_is_refused_nothing(base: dict[str, Any]) -> None:
    assert refusals(spec(base), REGION) == []


@pytest.mark.parametrize(
    ("patch", "paths"),
    [({"network": {"nat": "per_zone"}}, ["network.nat"]), ({"monitoring": {"metrics": "prometheus"}}, ["monitoring.metrics"])],
)
def test_a_value_that_is_not_built_is_refused_though_its_field_is(patch: dict[str, Any], paths: list[str]) -> None:
    assert [r.path for r in refusals(spec(TRAINING, patch), REGION)] == paths
