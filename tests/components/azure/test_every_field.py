"""Every field of the spec is honoured on Azure or refused by name. A field that nobody thought of fails here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from components.azure.assembly import refusals
from components.spec import InferenceSpec, TrainingSpec
from tests.components.aws.test_every_field import ALL, CHOOSES, JUDGED, OBEYED

from .specs import ACCOUNT, GROUP, INFERENCE, REGION, TRAINING, built, changed, spec

OTHER = "33333333-3333-3333-3333-333333333333"
RESERVED = {"mode": "reservation", "group": GROUP}
NET = f"/subscriptions/{ACCOUNT}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks"
EXISTING = {"network": f"{NET}/shared", "node_subnets": {"1": f"{NET}/shared/subnets/a", "2": f"{NET}/shared/subnets/b"}}
ELSEWHERE = {"network": f"{NET}/other", "node_subnets": {"1": f"{NET}/other/subnets/a", "2": f"{NET}/other/subnets/b"}}
OTHERS = {"1": f"{NET}/shared/subnets/a", "2": f"{NET}/shared/subnets/c"}
EXISTING_BASE = changed(INFERENCE, {"network": {"existing": EXISTING}, "pools": {"zone": "2"}})
SPOT_BASE = changed(INFERENCE, {"pools": {"capacity": {"mode": "spot"}}})
RESERVED_BASE = changed(TRAINING, {"pools": {"capacity": RESERVED}})
PLACEMENT = f"/subscriptions/{ACCOUNT}/resourceGroups/near/providers/Microsoft.Compute/proximityPlacementGroups/near"
FILES = {"storage": {"shared_filesystem": {"tib": 16}}}
FILES_BASE = changed(TRAINING, FILES)
WINDOW = {"id": "x", "starts": "2027-01-11T11:30Z", "ends": "2027-01-18T11:30Z"}
MIG = {"sharing": {"mig": "1g.10gb"}, "nodes": {"min": 1, "max": 8}}
SLICES = {"sharing": {"time_slices": 4}}


@dataclass(frozen=True)
class Case:
    """One change of a valid file. `path` as the walk over all fields spells it; a refused section covers everything in it."""

    path: str
    patch: dict[str, Any]
    base: dict[str, Any] = field(default_factory=lambda: TRAINING)


def shown(case: Case) -> str:
    return case.path


HONOURED = (
    Case("account", {"account": OTHER}, INFERENCE),
    Case("environment", {"environment": "prod"}, INFERENCE),
    Case("owner", {"owner": "research"}, INFERENCE),
    Case("name", {"name": "hall"}, INFERENCE),
    Case("lease.expires", {"lease": {"expires": "2027-03-01"}}, INFERENCE),
    Case("kubernetes_version", {"kubernetes_version": "1.34"}, INFERENCE),
    Case("network.zones", {"network": {"zones": ["1", "2", "3"]}}, INFERENCE),
    Case("network.cidr", {"network": {"cidr": "10.80.0.0/16"}}, INFERENCE),
    Case("network.nat", {"network": {"nat": "per_zone"}}, INFERENCE),
    Case("network.existing", {"network": {"existing": EXISTING}}, INFERENCE),
    Case("network.existing.network", {"network": {"existing": ELSEWHERE}}, EXISTING_BASE),
    Case("network.existing.node_subnets", {"network": {"existing": {**EXISTING, "node_subnets": OTHERS}}}, EXISTING_BASE),
    Case("network.endpoints", {"network": {"endpoints": "private"}}, INFERENCE),
    Case("access.api", {"access": {"api": "private", "api_cidrs": []}}, INFERENCE),
    Case("access.api_cidrs", {"access": {"api_cidrs": ["198.51.100.0/24"]}}, INFERENCE),
    Case("access.admins", {"access": {"admins": [OTHER]}}, INFERENCE),
    Case("access.viewers", {"access": {"viewers": [OTHER]}}, INFERENCE),
    Case("system.machine", {"system": {"machine": "Standard_D8s_v5"}}, INFERENCE),
    Case("system.nodes.min", {"system": {"nodes": {"min": 3, "max": 4}}}, INFERENCE),
    Case("system.nodes.max", {"system": {"nodes": {"min": 2, "max": 5}}}, INFERENCE),
    Case("system.disk_gib", {"system": {"disk_gib": 120}}, INFERENCE),
    Case("pools.name", {"pools": {"name": "servers"}}, INFERENCE),
    Case("pools.machine", {"pools": {"machine": "Standard_NC40ads_H100_v5"}}, INFERENCE),
    Case("pools.zone", {"pools": {"zone": "2"}}, INFERENCE),
    Case("pools.nodes.min", {"pools": {"nodes": {"min": 1, "max": 8}}}, INFERENCE),
    Case("pools.nodes.max", {"pools": {"nodes": {"min": 0, "max": 5}}}, INFERENCE),
    Case("pools.capacity.OnDemand.mode", {"pools": {"capacity": {"mode": "on_demand"}}}, SPOT_BASE),
    Case("pools.capacity.Spot.mode", {"pools": {"capacity": {"mode": "spot"}}}, INFERENCE),
    Case("pools.capacity.Spot.max_usd_per_hour", {"pools": {"capacity": {"mode": "spot", "max_usd_per_hour": 1.5}}}, SPOT_BASE),
    Case("pools.capacity.Reservation.mode", {"pools": {"capacity": RESERVED}}),
    Case("pools.capacity.Reservation.group", {"pools": {"capacity": {**RESERVED, "group": f"{GROUP}-2"}}}, RESERVED_BASE),
    Case("pools.image", {"pools": {"image": "azurelinux"}}, INFERENCE),
    Case("pools.fabric", {"pools": {"fabric": "none"}}),
    Case("pools.placement", {"pools": {"placement": "own"}}),
    Case("pools.placement.group", {"pools": {"placement": {"group": PLACEMENT}}}),
    Case("pools.updates", {"pools": {"updates": "surge"}}, INFERENCE),
    Case("pools.disk_gib", {"pools": {"disk_gib": 600}}, INFERENCE),
    Case("pools.labels", {"pools": {"labels": {"team": "research"}}}, INFERENCE),
    Case("pools.sharing", {"pools": SLICES}, INFERENCE),
    Case("pools.sharing.Mig.mig", {"pools": MIG}, INFERENCE),
    Case("pools.sharing.TimeSlices.time_slices", {"pools": {"sharing": {"time_slices": 2}}}, changed(INFERENCE, {"pools": SLICES})),
    Case("storage.buckets.name", {"storage": {"buckets": [{"name": "checkpoints"}]}}),
    Case("storage.buckets.use", {"storage": {"buckets": [{"name": "checkpoints", "use": "checkpoint"}]}}),
    Case("storage.shared_filesystem.tib", {"storage": {"shared_filesystem": {"tib": 32}}}, FILES_BASE),
    Case("storage.shared_filesystem.mb_s_per_tib", {"storage": {"shared_filesystem": {"tib": 16, "mb_s_per_tib": 250}}}, FILES_BASE),
    Case("storage.shared_filesystem.mount", {"storage": {"shared_filesystem": {"tib": 16, "mount": "/data"}}}, FILES_BASE),
    Case("budget.alert_emails", {"budget": {"monthly_usd": 9000, "alert_emails": ["ml-platform@example.com"]}}, INFERENCE),
    Case("monitoring.metrics", {"monitoring": {"metrics": "cloud"}}, INFERENCE),
    Case("monitoring.log_retention_days", {"monitoring": {"log_retention_days": 60}}, INFERENCE),
    Case("tags", {"tags": {"cost-center": "4712"}}, INFERENCE),
)

REFUSED = (
    *(Case(f"idle.watch.{field}", {"idle": {"watch": {field: value}}}) for field, value in (("schedule_minutes", 30), ("notify_arn", "x"))),
    *(
        Case(f"network.existing.{field}", {"network": {"existing": {**EXISTING, field: "x"}}})
        for field in ("pod_range", "service_range", "host_project")
    ),
    Case("network.existing.control_plane_subnets", {"network": {"existing": {**EXISTING, "control_plane_subnets": ["x"]}}}),
    Case("network.existing.fabric_cidr", {"network": {"existing": {**EXISTING, "fabric_cidr": "10.200.0.0/18"}}}),
    *(Case(f"access.kubeconfig.{field}", {"access": {"kubeconfig": {field: "x"}}}) for field in ("profile", "role")),
    Case("addon_versions", {"addon_versions": {"coredns": "v1.13.2-eksbuild.1"}}),
    Case("encryption_key", {"encryption_key": "projects/p/locations/l/keyRings/r/cryptoKeys/k"}),
    Case("network.flow_logs", {"network": {"flow_logs": True}}),
    Case("pools.machines", {"pools": {"machine": None, "machines": ["Standard_NC24ads_A100_v4", "Standard_NC48ads_A100_v4"]}}, SPOT_BASE),
    Case("pools.capacity.Reservation.id", {"pools": {"capacity": {**RESERVED, "id": "r-1"}}}),
    Case("pools.capacity.Reservation.nodes", {"pools": {"capacity": {**RESERVED, "nodes": 2}}}),
    Case("pools.capacity.Reservation.project", {"pools": {"capacity": {**RESERVED, "project": "other"}}}),
    Case("pools.capacity.Reservation.block", {"pools": {"capacity": {**RESERVED, "block": "b-1"}}}),
    Case("pools.capacity.Reservation.placement_group", {"pools": {"capacity": {**RESERVED, "placement_group": "made-with-it"}}}),
    Case("pools.capacity.CapacityBlock", {"pools": {"capacity": {**WINDOW, "mode": "capacity_block"}}}),
    Case("pools.capacity.FlexStart", {"pools": {"capacity": {"mode": "flex_start"}}}),
    Case("pools.capacity.Queued", {"pools": {"capacity": {"mode": "queued"}}}),
    Case("pools.capacity.Calendar", {"pools": {"capacity": {**WINDOW, "mode": "calendar"}}}),
    Case("pools.node_auto_repair", {"pools": {"node_auto_repair": False}}),
    Case("pools.topology", {"pools": {"topology": "4x4"}}),
    Case("storage.shared_filesystem.tier", {"storage": {"shared_filesystem": {"tib": 16, "tier": "SCRATCH_2"}}}),
    Case(
        "storage.shared_filesystem.bucket",
        {"storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 16, "bucket": "sets"}}},
    ),
    Case("model", {"model": {"name": "m", "parameters_billions": 70}}),
    Case("billing_account", {"billing_account": "0X0X0X-0X0X0X-0X0X0X"}),
    Case("queue.teams", {"queue": {"teams": [{"name": "research", "gpus": 8}]}}),
    Case("serving", {"serving": {"server": "vllm"}}, INFERENCE),
)


def covered(path: str) -> bool:
    exact = {case.path for case in (*HONOURED, *REFUSED)} | JUDGED | OBEYED | CHOOSES
    sections = (*(f"{case.path}." for case in REFUSED), "pricing.commitments.", "pricing.interruptions.")
    return path in exact or path.startswith(sections)


@pytest.mark.parametrize("path", ALL)
def test_every_field_has_a_case_here(path: str) -> None:
    assert covered(path), f"{path}: build it on Azure or refuse it, and add a case"


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
