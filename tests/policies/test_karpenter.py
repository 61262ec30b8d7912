"""Karpenter's pools as people write them: what their requirements leave, how far limits let them grow, from which image they start."""

from __future__ import annotations

from typing import Any

import pytest

from components.costing import cost
from components.demand import demand
from components.inventory import GpuPool, NodePool
from components.unknown import Unknown
from policies import Limits, Settings, Status, evaluate
from policies.limits import Allowed
from policies.readers import inventory
from tests.policies.raw import NOW, SETTINGS, Raw, said, training

POOL, CLASS = "kubernetes:karpenter.sh/v1:NodePool", "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
OLD_CLASS = "kubernetes:karpenter.k8s.aws/v1beta1:EC2NodeClass"
TYPE = "node.kubernetes.io/instance-type"
Wanted = list[tuple[str, str, list[str]]]
GENERAL: Wanted = [
    ("karpenter.k8s.aws/instance-category", "In", ["c", "m", "r"]),
    ("karpenter.k8s.aws/instance-generation", "Gt", ["5"]),
    ("kubernetes.io/arch", "In", ["amd64"]),
]
AL2023 = {"amiSelectorTerms": [{"alias": "al2023@v20261101"}], "blockDeviceMappings": [{"ebs": {"volumeSize": "200Gi"}}]}


def program(wanted: Wanted, *, of: dict[str, Any] | None = None, kind: str = CLASS, **spec: Any) -> Raw:
    """A Karpenter pool `k` of a class beside the training cluster."""
    listed = [{"key": key, "operator": operator, "values": values} for key, operator, values in wanted]
    template = {"spec": {"requirements": listed, "nodeClassRef": {"name": "nodes"}}}
    base = training().plus(kind, "nodes", metadata={"name": "nodes"}, spec=AL2023 if of is None else of)
    return base.plus(POOL, "k", metadata={"name": "k"}, spec={"template": template, **spec})


def pool(wanted: Wanted, **spec: Any) -> NodePool:
    return next(p for p in inventory(program(wanted, **spec).built()).pools if p.name == "k")


def named(wanted: Wanted, **spec: Any) -> tuple[Any, ...]:
    machines = pool(wanted, **spec).machines
    assert isinstance(machines, tuple)
    return machines


def test_categories_without_accelerators_are_machines_without_accelerators() -> None:
    general = pool(GENERAL, limits={"cpu": "200"})
    assert not isinstance(general, GpuPool)
    assert isinstance(general.machines, tuple)
    assert {"m7i.large", "c6i.xlarge"} <= set(general.machines)
    assert not {"m5.large", "m7g.large", "t3.large", "g6.xlarge"} & set(general.machines)
    about = [f.message for f in evaluate(program(GENERAL, limits={"cpu": "200"}).built(), SETTINGS) if f.message.startswith("k:")]
    assert about == []


@pytest.mark.failure("F3")
@pytest.mark.parametrize("categories", [["c", "m", "g"], ["p"]])
def test_a_category_with_accelerators_leaves_the_choice_open(categories: list[str]) -> None:
    wanted: Wanted = [("karpenter.k8s.aws/instance-category", "In", categories)]
    assert isinstance(pool(wanted).machines, Unknown)
    assert said(evaluate(program(wanted, limits={"cpu": "64"}).built(), SETTINGS), "GPU-SCALE-04")


@pytest.mark.parametrize(
    ("more", "left"),
    [
        (("karpenter.k8s.aws/instance-cpu", "Lt", ["9"]), {"g6.xlarge", "g6.2xlarge"}),
        (("karpenter.k8s.aws/instance-gpu-count", "Gt", ["4"]), {"g6.48xlarge"}),
        (
            (TYPE, "NotIn", ["g6.xlarge", "g6.48xlarge"]),
            {"g6.2xlarge", "g6.4xlarge", "g6.8xlarge", "g6.12xlarge", "g6.16xlarge", "g6.24xlarge"},
        ),
        (("karpenter.k8s.aws/instance-size", "NotIn", [f"{n}xlarge" for n in (2, 4, 8, 12, 16, 24, 48)]), {"g6.xlarge"}),
    ],
)
def test_every_requirement_narrows_the_choice(more: tuple[str, str, list[str]], left: set[str]) -> None:
    assert set(named([("karpenter.k8s.aws/instance-family", "In", ["g6"]), more])) == left


def test_two_requirements_on_one_key_both_count() -> None:
    cpu = "karpenter.k8s.aws/instance-cpu"
    assert set(named([("karpenter.k8s.aws/instance-family", "In", ["g6"]), (cpu, "Gt", ["7"]), (cpu, "Lt", ["17"])])) == {
        "g6.2xlarge",
        "g6.4xlarge",
    }


@pytest.mark.parametrize("odd", [["a"], [], ["1", "2"], [Unknown("x")]])
def test_what_cannot_be_compared_narrows_nothing(odd: list[Any]) -> None:
    family = ("karpenter.k8s.aws/instance-family", "In", ["g6"])
    assert named([family, ("karpenter.k8s.aws/instance-cpu", "Gt", odd)]) == named([family])


@pytest.mark.failure("J8")
def test_a_limit_in_processors_holds_fewer_large_machines() -> None:
    found = inventory(program([("karpenter.k8s.aws/instance-family", "In", ["g6"])], limits={"cpu": "64"}).built())
    k = next(p for p in found.pools if p.name == "k")
    assert (k.nodes.maximum, k.bounds["g6.xlarge"], k.bounds["g6.48xlarge"]) == (16, 16, 1)
    line = next(line for line in cost(found, now=NOW).lines if line.urn == k.urn and "disk" not in line.what)
    assert isinstance(line.maximum, int)
    assert line.maximum * line.usd_per_hour < 20, "not sixteen of the largest"
    assert max(part.need for part in demand(found) if "k" in part.pools) <= 192


@pytest.mark.failure("B7")
@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        (CLASS, {"amiSelectorTerms": [{"alias": "al2@latest"}]}),
        (OLD_CLASS, {"amiFamily": "AL2"}),
    ],
)
def test_amazon_linux_2_is_told_of_a_node_class(kind: str, spec: dict[str, Any]) -> None:
    of_gpus: Wanted = [(TYPE, "In", ["g6.xlarge"])]
    found = said(evaluate(program(of_gpus, of=spec, kind=kind, limits={"nodes": 2}).built(), SETTINGS), "GPU-IMG-01")
    assert [f.message.partition(":")[0] for f in found] == ["k"]


@pytest.mark.failure("B7")
@pytest.mark.parametrize(("kind", "spec"), [(CLASS, AL2023), (OLD_CLASS, {"amiFamily": "AL2023"}), (OLD_CLASS, {"amiFamily": "Custom"})])
def test_other_node_classes_are_no_amazon_linux_2(kind: str, spec: dict[str, Any]) -> None:
    found = evaluate(program([(TYPE, "In", ["g6.xlarge"])], of=spec, kind=kind, limits={"nodes": 2}).built(), SETTINGS)
    assert said(found, "GPU-IMG-01") == []


@pytest.mark.failure("F5")
@pytest.mark.parametrize(("age", "wrong"), [("Never", 0), ("720h", 1)])
def test_the_age_at_which_nodes_end_is_read_where_v1beta1_has_it(age: str, wrong: int) -> None:
    disruption = {"consolidationPolicy": "WhenEmpty", "expireAfter": age}
    found = evaluate(program([(TYPE, "In", ["p4d.24xlarge"])], limits={"nodes": 2}, disruption=disruption).built(), SETTINGS)
    assert len(said(found, "GPU-SCALE-05")) == wrong


def test_karpenter_orders_efa_interfaces_itself() -> None:
    found = evaluate(program([(TYPE, "In", ["p4d.24xlarge"])], limits={"nodes": 2}).built(), SETTINGS)
    assert [f.message for f in said(found, "GPU-EFA-05")] == []


@pytest.mark.parametrize(
    ("machines", "told"), [(["p5e.48xlarge", "p5.48xlarge"], 0), (["p5e.48xlarge"], 1)], ids=["one is offered", "none is offered"]
)
def test_machines_that_the_region_lacks_are_left_out_of_the_choice(machines: list[str], told: int) -> None:
    found = evaluate(program([(TYPE, "In", machines)], limits={"nodes": 2}).built(), SETTINGS)
    assert len(said(found, "GPU-ZONE-01")) == told


def interfaces(*kinds: tuple[int, int, str]) -> dict[str, Any]:
    listed = [{"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind} for card, device, kind in kinds]
    return {**AL2023, "networkInterfaces": listed}


@pytest.mark.failure("A2")
@pytest.mark.parametrize(
    ("machine", "kinds", "wrong"),
    [
        ("p5.48xlarge", [(0, 0, "interface"), (2, 2, "efa-only")], {"GPU-EFA-02", "GPU-EFA-05"}),
        ("p6-b300.48xlarge", [(0, 0, "efa-only"), *((card, 0, "efa-only") for card in range(1, 16))], {"GPU-EFA-04"}),
        ("p4d.24xlarge", [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in (1, 2, 3))], set[str]()),
    ],
)
def test_interfaces_of_a_node_class_fit_the_machine(machine: str, kinds: list[tuple[int, int, str]], wrong: set[str]) -> None:
    found = evaluate(program([(TYPE, "In", [machine])], of=interfaces(*kinds), limits={"nodes": 2}).built(), SETTINGS)
    assert {f.rule for f in found if f.rule.startswith("GPU-EFA") and f.message.startswith("k:")} == wrong


def allowing(*machines: str) -> Settings:
    return Settings(now=NOW, limits=Limits(allowed=Allowed(machines=machines, regions=("us-east-1",))))


@pytest.mark.parametrize(
    ("wanted", "statuses"),
    [
        ([(TYPE, "In", ["p5.48xlarge"])], [Status.VIOLATED]),
        ([(TYPE, "In", ["g6.xlarge"])], []),
        ([("karpenter.k8s.aws/instance-family", "In", ["m7i", "c7i", "r7i", "m6i", "c6i"])], [Status.UNKNOWN]),
        ([("karpenter.k8s.aws/instance-category", "In", ["p"])], [Status.UNKNOWN]),
    ],
)
def test_machines_that_are_not_allowed_are_not_allowed_to_karpenter(wanted: Wanted, statuses: list[Status]) -> None:
    settings = allowing("p4d.24xlarge", "m7i.large", "g6.xlarge")
    found = said(evaluate(program(wanted, limits={"nodes": 2}).built(), settings), "GPU-LIM-01")
    assert [f.status for f in found] == statuses
