from __future__ import annotations

import pytest

from scripts.engine.changes import GROUP, TEMPLATE, Change, changes_of, lines
from scripts.engine.events import Step
from scripts.engine.node_effects import GONE, POOLS, ROLLED, STAY, UNTOLD, of_nodes
from scripts.sandbox import kinds
from scripts.sandbox.kinds.aws import tokens as aws
from scripts.sandbox.kinds.azure import tokens as azure
from scripts.sandbox.kinds.gcp import tokens as gcp


@pytest.mark.parametrize(
    ("type_", "paths", "words"),
    [
        (aws.NODE_GROUP, ["scalingConfig.maxSize", "tagsAll.phase"], STAY),
        (aws.NODE_GROUP, ["labels.team"], STAY),
        (aws.NODE_GROUP, ["scalingConfig.maxSize", "launchTemplate.version"], ROLLED),
        (aws.NODE_GROUP, ["version"], ROLLED),
        (gcp.NODE_POOL, ["autoscaling.totalMaxNodeCount"], STAY),
        (gcp.NODE_POOL, ['nodeConfig.resourceLabels["team"]', "nodeConfig.labels.team"], STAY),
        (gcp.NODE_POOL, ["nodeConfig.diskSizeGb"], ROLLED),
        (azure.AGENT_POOL, ["maxCount"], STAY),
        (azure.AGENT_POOL, ["orchestratorVersion"], ROLLED),
        (aws.NODE_GROUP, [], UNTOLD),
        (aws.VPC, ["tags"], ""),
    ],
)
def test_the_paths_that_differ_tell_whether_nodes_stay(type_: str, paths: list[str], words: str) -> None:
    assert of_nodes("update", type_, paths) == words


@pytest.mark.parametrize("type_", POOLS)
@pytest.mark.parametrize("operation", ["replace", "delete"])
def test_a_pool_takes_its_nodes_along(type_: str, operation: str) -> None:
    assert of_nodes(operation, type_, ["labels"]) == GONE


@pytest.mark.parametrize("type_", POOLS)
def test_every_pool_is_a_kind_that_the_simulated_clouds_know(type_: str) -> None:
    assert kinds.kind(type_).token == type_


@pytest.mark.parametrize(("changed", "words"), [(("tags.team",), STAY), (("tags.team", "blockDeviceMappings[0]"), ROLLED), ((), ROLLED)])
def test_a_template_that_only_gets_other_tags_makes_no_version_and_rolls_nothing(changed: tuple[str, ...], words: str) -> None:
    def step(type_: str, *paths: str) -> Step:
        return Step("update", f"urn:pulumi:dev::p::{type_}::lab-a100", ended=False, properties=paths)

    found = changes_of([step(TEMPLATE, *changed), step(GROUP, "launchTemplate.version")])
    assert [change.nodes for change in found if change.nodes] == [words]


def test_a_person_and_a_machine_are_told_of_pools_alone() -> None:
    pool = Change("update", aws.NODE_GROUP, "lab-a100", ("launchTemplate.version",))
    network = Change("update", aws.VPC, "lab", ("tags",))
    assert list(lines((pool, network))) == [
        "  update  aws:eks/nodeGroup:NodeGroup lab-a100 (launchTemplate.version): its nodes are replaced",
        "  update  aws:ec2/vpc:Vpc lab (tags)",
    ]
    assert pool.as_json()["nodes"] == ROLLED
    assert "nodes" not in network.as_json()
