"""AWS at production depth on the real engine: data that a destroy keeps, and updates that leave GPU nodes alone."""

from __future__ import annotations

from typing import Any

import pytest

from components.aws.idle_watch_function.handler import Settings
from components.idle_tags import WARNED_KEY
from scripts.errors import Exit, Refused
from tests.engine.clouds import Asked, Clouds

pytestmark = [pytest.mark.engine]
REGION = "us-east-1"
TRAINING = "aws-training-dev"
SHARED = {"tib": 4.8, "mb_s_per_tib": 125, "mount": "/shared", "bucket": "checkpoints"}


def tagged(clouds: Clouds) -> dict[str, dict[str, str]]:
    """Tags by ARN of all that carries some, without instances that have ended."""
    found = clouds.boto3("resourcegroupstaggingapi", REGION).get_resources()["ResourceTagMappingList"]
    tags = {each["ResourceARN"]: {t["Key"]: t["Value"] for t in each["Tags"]} for each in found}
    return {arn: each for arn, each in tags.items() if ":instance/" not in arn}


def kinds(arns: dict[str, Any]) -> set[str]:
    """`fsx:file-system`, `ec2:vpc`, `s3` of each ARN."""
    parts = [arn.split(":", 5) for arn in arns]
    return {p[2] if p[2] == "s3" else f"{p[2]}:{p[5].split('/')[0]}" for p in parts}


@pytest.mark.long
def test_a_destroy_leaves_data_with_what_it_needs_and_the_next_up_makes_its_own(clouds: Clouds) -> None:
    clouds.edit(TRAINING, lambda cluster: cluster["storage"].update(shared_filesystem=SHARED))
    up = clouds.act("up", TRAINING)
    assert up.exit is Exit.FINE, up.message
    assert set(clouds.act("up", TRAINING).changes) <= {"same"}

    s3, fsx, budgets = (clouds.boto3(name, REGION) for name in ("s3", "fsx", "budgets"))
    [bucket] = [b["Name"] for b in s3.list_buckets()["Buckets"]]
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    [system] = fsx.describe_file_systems()["FileSystems"]
    assert system["StorageCapacity"] == 4800
    [budget] = budgets.describe_budgets(AccountId="123456789012")["Budgets"]
    assert budget["CostFilters"] == {"TagKeyValue": [f"user:gpukit/cluster${TRAINING}"]}

    down = clouds.act("destroy", TRAINING)
    assert down.exit is Exit.FINE, down.message
    left = tagged(clouds)
    assert {tags.get("gpukit/kept") for tags in left.values()} == {"data"}
    assert kinds(left) == {
        "s3",
        "fsx:file-system",
        "fsx:association",
        "ec2:vpc",
        "ec2:subnet",
        "ec2:security-group",
        "ec2:security-group-rule",
    }
    assert budgets.describe_budgets(AccountId="123456789012")["Budgets"] == []

    again = clouds.act("up", TRAINING)
    assert again.exit is Exit.FINE, again.message
    assert len(s3.list_buckets()["Buckets"]) == 2


def gpu_nodes(clouds: Clouds) -> set[str]:
    """Ids of the running instances that belong to GPU pools."""
    found = [i for r in clouds.boto3("ec2", REGION).describe_instances()["Reservations"] for i in r["Instances"]]
    running = [i for i in found if i["State"]["Name"] == "running"]
    return {i["InstanceId"] for i in running if {t["Key"]: t["Value"] for t in i["Tags"]}["gpukit/pool"] != "system"}


@pytest.mark.long
def test_a_change_of_size_and_tags_leaves_running_gpu_nodes_alone(clouds: Clouds) -> None:
    assert clouds.act("up", TRAINING).exit is Exit.FINE
    clouds.world.load(TRAINING, "a100", nodes=2)
    before = gpu_nodes(clouds)
    assert len(before) == 2

    clouds.edit(TRAINING, lambda cluster: cluster["pools"][0]["nodes"].update(max=3))
    clouds.edit(TRAINING, lambda cluster: cluster["tags"].update({"cost-center": "4712", "phase": "two"}))
    asked = Asked()
    changed = clouds.act("up", TRAINING, asked)
    assert changed.exit is Exit.FINE, changed.message
    assert not {"replace", "create-replacement", "delete-replaced"} & set(changed.changes), changed.changes
    assert gpu_nodes(clouds) == before
    assert any("a100" in name for name in asked.nodes)
    assert set(asked.nodes.values()) == {"its nodes stay"}


@pytest.mark.long
def test_another_root_disk_rolls_the_pool_s_nodes_and_replaces_no_group(clouds: Clouds) -> None:
    assert clouds.act("up", TRAINING).exit is Exit.FINE
    eks = clouds.boto3("eks", REGION)
    groups = set(eks.list_nodegroups(clusterName=TRAINING)["nodegroups"])
    clouds.world.load(TRAINING, "a100", nodes=1)
    before = gpu_nodes(clouds)
    clouds.edit(TRAINING, lambda cluster: cluster["pools"][0].update(disk_gib=600))
    asked = Asked()
    changed = clouds.act("up", TRAINING, asked)
    assert changed.exit is Exit.FINE, changed.message
    assert [words for name, words in asked.nodes.items() if "a100" in name] == ["its nodes are replaced"]
    assert set(eks.list_nodegroups(clusterName=TRAINING)["nodegroups"]) == groups
    assert gpu_nodes(clouds).isdisjoint(before)

    clouds.edit(TRAINING, lambda cluster: cluster["pools"][0].update(image="bottlerocket"))
    other_image = clouds.act("preview", TRAINING)
    assert [change.nodes for change in other_image.to_change if change.nodes] == ["its nodes go with it"]


@pytest.mark.long
@pytest.mark.parametrize("stack", ["aws-training-p5", "aws-training-reserved", "aws-inference-dev", "aws-inference-prod"])
def test_every_other_stack_comes_up_stays_and_leaves_nothing(clouds: Clouds, stack: str) -> None:
    clouds.edit(stack, lambda cluster: cluster.update(environment="dev"))  # a protected cluster cannot be destroyed
    up = clouds.act("up", stack)
    assert up.exit is Exit.FINE, up.message
    again = clouds.act("up", stack)
    assert again.exit is Exit.FINE, again.message
    assert set(again.changes) <= {"same"}, again.changes
    clouds.edit(stack, lambda cluster: cluster["tags"].update({"phase": "two"}))
    changed = clouds.act("up", stack)
    assert changed.exit is Exit.FINE, changed.message
    assert not {"replace", "create-replacement", "delete-replaced"} & set(changed.changes), changed.changes
    down = clouds.act("destroy", stack)
    assert down.exit is Exit.FINE, down.message
    assert {tags.get("gpukit/kept") for tags in tagged(clouds).values()} <= {"data"}


@pytest.mark.long
def test_a_capacity_block_fills_at_its_start_empties_before_its_end_and_its_pool_goes(clouds: Clouds) -> None:
    from datetime import timedelta

    clouds.endpoints  # noqa: B018  # the world must run to tell its time
    now = clouds.world.now().replace(microsecond=0)
    starts, ends = (now + timedelta(hours=h) for h in (12, 36))
    window = {"starts": f"{starts:%Y-%m-%dT%H:%M}Z", "ends": f"{ends:%Y-%m-%dT%H:%M}Z"}
    clouds.edit("aws-training-p5", lambda cluster: cluster["pools"][0]["capacity"].update(window))
    block = {"id": "cr-0123456789abcdef0", "region": REGION, "machine": "p5.48xlarge", "zone": "us-east-1d", "count": 4, "block": True}
    clouds.world.declare(reservations=[{**block, **window}])

    up = clouds.act("up", "aws-training-p5")
    assert up.exit is Exit.FINE, up.message
    assert gpu_nodes(clouds) == set()
    clouds.world.advance(starts - clouds.world.now() + timedelta(minutes=5))
    assert len(gpu_nodes(clouds)) == 4
    inside = clouds.act("up", "aws-training-p5")
    assert inside.exit is Exit.FINE, inside.message
    assert len(gpu_nodes(clouds)) == 4
    clouds.world.advance(ends - clouds.world.now() - timedelta(minutes=42))
    assert gpu_nodes(clouds) == set()
    clouds.world.advance("2h")
    after = clouds.act("up", "aws-training-p5")
    assert after.exit is Exit.FINE, after.message
    groups = clouds.boto3("eks", REGION).list_nodegroups(clusterName="aws-training-p5")["nodegroups"]
    assert not [name for name in groups if "h100" in name]


@pytest.mark.long
@pytest.mark.failure("K11")
def test_a_protected_stack_is_not_destroyed_by_halves(clouds: Clouds) -> None:
    stack = "aws-inference-prod"
    assert clouds.act("up", stack).exit is Exit.FINE
    before = clouds.world.status()["records"]
    with pytest.raises(Refused, match="protected against deletion"):
        clouds.act("destroy", stack)
    assert clouds.world.status()["records"] == before

    clouds.edit(stack, lambda cluster: cluster.update(environment="dev"))
    freed = clouds.act("up", stack)
    assert freed.exit is Exit.FINE, freed.message
    gone = clouds.act("destroy", stack)
    assert gone.exit is Exit.FINE, gone.message
    assert clouds.world.status()["clusters"] == []


@pytest.mark.long
def test_the_idle_watch_comes_and_goes_with_its_cluster_and_its_marks_disturb_no_update(clouds: Clouds) -> None:
    idle = {"grace_minutes": 30, "notify": ["ml-platform@example.com"], "watch": {}}
    clouds.edit(TRAINING, lambda cluster: cluster.update(idle=idle))
    clouds.edit(TRAINING, lambda cluster: cluster.pop("storage"))  # data is kept on purpose and would be left
    up = clouds.act("up", TRAINING)
    assert up.exit is Exit.FINE, up.message
    services = {arn.split(":")[2] for arn, tags in tagged(clouds).items() if "-idle-watch" in tags.get("gpukit/resource", "")}
    assert services == {"cloudwatch", "events", "lambda", "logs", "sns"}, "the tagging API lists no roles"

    eks = clouds.boto3("eks", REGION)
    groups = [
        eks.describe_nodegroup(clusterName=TRAINING, nodegroupName=n)["nodegroup"]
        for n in eks.list_nodegroups(clusterName=TRAINING)["nodegroups"]
    ]
    [watched] = [group for group in groups if group["tags"]["gpukit/pool"] == "a100"]
    eks.tag_resource(resourceArn=watched["nodegroupArn"], tags={WARNED_KEY: "2027-03-01T06:30:00Z"})
    again = clouds.act("up", TRAINING)
    assert set(again.changes) <= {"same"}, again.to_change
    marked = eks.describe_nodegroup(clusterName=TRAINING, nodegroupName=watched["nodegroupName"])["nodegroup"]
    assert WARNED_KEY in marked["tags"]

    name = next(arn.rpartition(":")[2] for arn in tagged(clouds) if arn.split(":")[2] == "lambda")
    variables = clouds.boto3("lambda", REGION).get_function_configuration(FunctionName=name)["Environment"]["Variables"]
    assert Settings.read(variables).pools == {"a100": (watched["nodegroupName"], {"p4d.24xlarge": 8})}

    clouds.edit(TRAINING, lambda cluster: cluster["idle"].update(watch={"schedule_minutes": 30}))
    slower = clouds.act("up", TRAINING)
    assert slower.exit is Exit.FINE, slower.message
    assert set(slower.changes) == {"same", "update"}, slower.changes

    clouds.edit(TRAINING, lambda cluster: cluster["idle"].pop("watch"))
    assert clouds.act("up", TRAINING).exit is Exit.FINE
    assert not [arn for arn in tagged(clouds) if arn.split(":")[2] in {"cloudwatch", "events", "lambda", "sns"}]
