"""Every field of the spec is honoured on AWS or refused by name. A field that nobody thought of fails here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from components.aws.assembly import refusals
from components.spec import InferenceSpec, TrainingSpec
from tests.components.every_field import leaves
from tests.components.patching import changed

from .specs import INFERENCE, REGION, TRAINING, built, spec

NEW_BLOCK = {"mode": "capacity_block", "id": "cr-0123456789abcdef0", "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}

RESERVED = {"mode": "reservation", "id": "cr-0123456789abcdef0"}
RESERVATIONS = "arn:aws:resource-groups:us-east-1:123456789012:group/h100"
SUBNETS = ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1", "subnet-0123456789abcdef2")
EXISTING = {"network": "vpc-0123456789abcdef0", "node_subnets": {"us-east-1b": SUBNETS[0], "us-east-1d": SUBNETS[1]}}
OTHERS = {"us-east-1b": SUBNETS[0], "us-east-1d": SUBNETS[2]}
PLANES = list(SUBNETS[:2])[::-1]
OF_OTHER_CLOUDS = {"pod_range": "x", "service_range": "x", "host_project": "x", "fabric_cidr": "10.0.0.0/20"}
EXISTING_BASE = changed(TRAINING, {"network": {"existing": EXISTING}})
BLOCK_BASE = changed(TRAINING, {"pools": {"capacity": NEW_BLOCK}})

WATCHED = {"notify": ["ml-platform@example.com"], "watch": {}}
WATCHED_BASE = changed(TRAINING, {"idle": WATCHED})
TOPIC = "arn:aws:sns:us-east-1:123456789012:alerts"

LINKED = {"storage": {"buckets": [{"name": "sets", "use": "dataset"}], "shared_filesystem": {"tib": 4.8, "bucket": "sets"}}}


@dataclass(frozen=True)
class Case:
    """One change of a valid file. `path` as the walk below spells it; a refused section covers everything in it."""

    path: str
    patch: dict[str, Any]
    base: dict[str, Any] = field(default_factory=lambda: TRAINING)


HONOURED = (
    Case("account", {"account": "210987654321"}),
    Case("environment", {"environment": "prod"}),
    Case("owner", {"owner": "research"}),
    Case("name", {"name": "hall"}),
    Case("lease.expires", {"lease": {"expires": "2027-03-01"}}),
    Case("kubernetes_version", {"kubernetes_version": "1.34"}),
    Case("network.zones", {"network": {"zones": ["us-east-1b", "us-east-1d", "us-east-1f"]}}),
    Case("network.cidr", {"network": {"cidr": "10.80.0.0/16"}}),
    Case("network.nat", {"network": {"nat": "per_zone"}}),
    Case("network.existing", {"network": {"existing": EXISTING}}),
    Case("network.existing.network", {"network": {"existing": {**EXISTING, "network": "vpc-0123456789abcdefa"}}}, EXISTING_BASE),
    Case("network.existing.node_subnets", {"network": {"existing": {**EXISTING, "node_subnets": OTHERS}}}, EXISTING_BASE),
    Case("network.existing.control_plane_subnets", {"network": {"existing": {**EXISTING, "control_plane_subnets": PLANES}}}, EXISTING_BASE),
    Case("network.flow_logs", {"network": {"flow_logs": True}}),
    Case("network.endpoints", {"network": {"endpoints": "private"}}),
    Case("access.api", {"access": {"api": "private", "api_cidrs": []}}),
    Case("access.api_cidrs", {"access": {"api_cidrs": ["198.51.100.0/24"]}}),
    Case("access.admins", {"access": {"admins": ["arn:aws:iam::123456789012:role/other"]}}),
    Case("access.viewers", {"access": {"viewers": ["arn:aws:iam::123456789012:role/look"]}}),
    Case("addon_versions", {"addon_versions": {"coredns": "v1.13.2-eksbuild.1"}}),
    Case("system.machine", {"system": {"machine": "m7i.xlarge"}}),
    Case("system.nodes.min", {"system": {"nodes": {"min": 3, "max": 4}}}),
    Case("system.nodes.max", {"system": {"nodes": {"min": 2, "max": 5}}}),
    Case("system.disk_gib", {"system": {"disk_gib": 120}}),
    Case("pools.name", {"pools": {"name": "trainers"}}),
    Case("pools.machine", {"pools": {"machine": "p5.48xlarge"}}),
    Case("pools.machines", {"pools": {"machine": None, "machines": ["g5.2xlarge", "g5.4xlarge"], "capacity": {"mode": "spot"}}}, INFERENCE),
    Case("pools.zone", {"pools": {"zone": "us-east-1b"}}),
    Case("pools.nodes.min", {"pools": {"nodes": {"min": 1, "max": 4}}}),
    Case("pools.nodes.max", {"pools": {"nodes": {"min": 0, "max": 5}}}),
    Case("pools.capacity.OnDemand.mode", {"pools": {"capacity": {"mode": "on_demand"}}}),
    Case("pools.capacity.Spot.mode", {"pools": {"capacity": {"mode": "spot"}}}, INFERENCE),
    Case("pools.capacity.Reservation.mode", {"pools": {"capacity": RESERVED}}),
    Case("pools.capacity.Reservation.id", {"pools": {"capacity": RESERVED}}),
    Case("pools.capacity.Reservation.group", {"pools": {"capacity": {"mode": "reservation", "group": RESERVATIONS}}}),
    Case("pools.capacity.Reservation.placement_group", {"pools": {"capacity": {**RESERVED, "placement_group": "made-with-it"}}}),
    Case("pools.capacity.CapacityBlock.mode", {"pools": {"capacity": NEW_BLOCK}}),
    Case("pools.capacity.CapacityBlock.id", {"pools": {"capacity": {**NEW_BLOCK, "id": "cr-0123456789abcdef1"}}}, BLOCK_BASE),
    Case("pools.capacity.CapacityBlock.starts", {"pools": {"capacity": {**NEW_BLOCK, "starts": "2027-01-12T11:30Z"}}}, BLOCK_BASE),
    Case("pools.capacity.CapacityBlock.ends", {"pools": {"capacity": {**NEW_BLOCK, "ends": "2027-01-19T11:30Z"}}}, BLOCK_BASE),
    Case("pools.node_auto_repair", {"pools": {"node_auto_repair": False}}),
    Case("monitoring.log_retention_days", {"monitoring": {"log_retention_days": 14}}),
    Case("pools.image", {"pools": {"image": "bottlerocket"}}),
    Case("pools.fabric", {"pools": {"fabric": "none"}}),
    Case("pools.placement", {"pools": {"placement": "none"}}),
    Case("pools.placement.group", {"pools": {"placement": {"group": "made-before"}}}),
    Case("pools.updates", {"pools": {"updates": "surge"}}),
    Case("pools.disk_gib", {"pools": {"disk_gib": 600}}),
    Case("pools.labels", {"pools": {"labels": {"team": "research"}}}),
    Case("pools.sharing", {"pools": {"sharing": {"time_slices": 4}}}, INFERENCE),
    Case("pools.sharing.Mig.mig", {"pools": {"sharing": {"mig": "1g.5gb"}}}),
    Case("pools.sharing.TimeSlices.time_slices", {"pools": {"sharing": {"time_slices": 2}}}, INFERENCE),
    Case("storage.buckets.name", {"storage": {"buckets": [{"name": "checkpoints"}]}}),
    Case("storage.buckets.use", {"storage": {"buckets": [{"name": "checkpoints", "use": "checkpoint"}]}}),
    Case("storage.shared_filesystem.tib", {"storage": {"shared_filesystem": {"tib": 4.8}}}),
    Case("storage.shared_filesystem.mb_s_per_tib", {"storage": {"shared_filesystem": {"tib": 4.8, "mb_s_per_tib": 250}}}),
    Case("storage.shared_filesystem.mount", {"storage": {"shared_filesystem": {"tib": 4.8, "mount": "/data"}}}),
    Case("storage.shared_filesystem.bucket", LINKED),
    Case("budget.alert_emails", {"budget": {"monthly_usd": 9000, "alert_emails": ["ml-platform@example.com"]}}),
    Case("idle.watch.schedule_minutes", {"idle": {**WATCHED, "watch": {"schedule_minutes": 30}}}, WATCHED_BASE),
    Case("idle.watch.notify_arn", {"idle": {**WATCHED, "watch": {"notify_arn": TOPIC}}}, WATCHED_BASE),
    Case("tags", {"tags": {"cost-center": "4712"}}),
)

REFUSED = (
    *(Case(f"network.existing.{f}", {"network": {"existing": {**EXISTING, f: value}}}) for f, value in OF_OTHER_CLOUDS.items()),
    Case("pools.capacity.Spot.max_usd_per_hour", {"pools": {"capacity": {"mode": "spot", "max_usd_per_hour": 3.0}}}),
    Case("pools.capacity.Reservation.nodes", {"pools": {"capacity": {**RESERVED, "nodes": 2}}}),
    Case("pools.capacity.Reservation.project", {"pools": {"capacity": {**RESERVED, "project": "other"}}}),
    Case("pools.capacity.Reservation.block", {"pools": {"capacity": {**RESERVED, "block": "b-1"}}}),
    Case("pools.capacity.FlexStart", {"pools": {"capacity": {"mode": "flex_start"}}}),
    Case("pools.capacity.Queued", {"pools": {"capacity": {"mode": "queued"}}}),
    Case("pools.capacity.Calendar", {"pools": {"capacity": {**NEW_BLOCK, "mode": "calendar"}}}),
    Case("pools.topology", {"pools": {"topology": "4x4"}}),
    Case("storage.shared_filesystem.tier", {"storage": {"shared_filesystem": {"tib": 4.8, "tier": "SCRATCH_2"}}}),
    Case("monitoring.metrics", {"monitoring": {"metrics": "prometheus"}}),
    Case("model", {"model": {"name": "m", "parameters_billions": 70}}),
    Case("billing_account", {"billing_account": "0X0X0X-0X0X0X-0X0X0X"}),
    Case("encryption_key", {"encryption_key": "projects/p/locations/us-east-1/keyRings/r/cryptoKeys/k"}),
    Case("queue.teams", {"queue": {"teams": [{"name": "research", "gpus": 8}]}}),
    Case("serving", {"serving": {"server": "vllm"}}, INFERENCE),
)

JUDGED = {"budget.hourly_usd", "budget.monthly_usd", "pricing.commitments", "pricing.nat_gb_per_month"}
"""Ceilings, discounts and assumed traffic: they build nothing, the guardrails and the cost judge by them. So do assumed interruptions."""
OBEYED = {"idle.grace_minutes", "idle.strongest_action", "idle.notify"}
"""They build nothing: `gpukit idle` reads them (tests/idle/test_targets.py), and on AWS the idle watch does."""
OUTPUTS = {"access.kubeconfig.profile", "access.kubeconfig.role"}
"""They change what the kubeconfig says, which no plan knows (test_kubeconfig.py)."""
CHOOSES = {"cloud", "workload"}
"""Which family and which cluster is built."""


ALL = sorted({*leaves(TrainingSpec), *leaves(InferenceSpec)})


def shown(case: Case) -> str:
    return case.path


def covered(path: str) -> bool:
    exact = {case.path for case in (*HONOURED, *REFUSED)} | JUDGED | OBEYED | OUTPUTS | CHOOSES
    sections = (*(f"{case.path}." for case in REFUSED), "pricing.commitments.", "pricing.interruptions.")
    return path in exact or path.startswith(sections)


@pytest.fixture(autouse=True)
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    """The capacity block of these files lies ahead, whenever the tests run."""
    monkeypatch.setenv("GPUKIT_WORLD", "sandbox")
    monkeypatch.setenv("GPUKIT_NOW", "2027-01-01T00:00:00Z")


@pytest.mark.parametrize("path", ALL)
def test_every_field_has_a_case_here(path: str) -> None:
    assert covered(path), f"{path}: build it on AWS or refuse it, and add a case"


def test_no_case_is_about_a_field_that_is_gone() -> None:
    gone = [case.path for case in (*HONOURED, *REFUSED) if not any(path == case.path or path.startswith(f"{case.path}.") for path in ALL)]
    assert gone == []


@pytest.mark.parametrize("case", HONOURED, ids=shown)
def test_a_field_that_is_built_changes_what_is_built(case: Case) -> None:
    before, after = spec(case.base), spec(case.base, case.patch)
    assert refusals(after, REGION) == []
    assert facts(before) != facts(after)


def facts(made: TrainingSpec | InferenceSpec) -> list[tuple[Any, ...]]:
    return [(r.urn, r.inputs, r.property_dependencies) for r in built(made)]


@pytest.mark.parametrize("case", REFUSED, ids=shown)
def test_a_field_that_is_not_built_is_refused_by_name_and_alone(case: Case) -> None:
    [refusal] = refusals(spec(case.base, case.patch), REGION)
    field_ = ".".join(part for part in case.path.split(".") if not part[0].isupper())
    path = refusal.path.replace("pools[0]", "pools")
    assert path.startswith(field_) or field_.startswith(path)
    assert refusal.message


@pytest.mark.parametrize("base", [TRAINING, INFERENCE], ids=["training", "inference"])
def test_a_plain_file_is_refused_nothing(base: dict[str, Any]) -> None:
    assert refusals(spec(base), REGION) == []


@pytest.mark.parametrize(
    ("patch", "base", "paths"),
    [
        ({"network": {"nat": "none"}}, TRAINING, ["network.nat"]),
        ({"network": {"nat": "none", "endpoints": "private"}}, TRAINING, ["network.nat"]),
        ({"pools": {"image": "ubuntu"}}, TRAINING, ["pools[0].image"]),
    ],
)
def test_a_value_that_is_not_built_is_refused_though_its_field_is(patch: dict[str, Any], base: dict[str, Any], paths: list[str]) -> None:
    assert [r.path for r in refusals(spec(base, patch), REGION)] == paths
