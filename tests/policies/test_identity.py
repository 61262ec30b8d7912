"""Identity tags by the pack: off unless asked for, in place, secrets stay secret, nothing that is there is touched."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

from components.resource import Secret
from components.unknown import Unknown
from policies import identity
from tests.policies import pack_runner
from tests.policies.pack_runner import SECRET, UNKNOWN_SENTINEL
from tests.policies.raw import STACK, Raw

VPC, BUCKET, GKE = "aws:ec2/vpc:Vpc", "gcp:storage/bucket:Bucket", "gcp:container/cluster:Cluster"
AKS = "azure-native:containerservice/v20250801:ManagedCluster"


def asked(level: str, **properties: Any) -> dict[str, dict[str, Any]]:
    return {identity.NAME: {"enforcementLevel": level, **properties}}


def repaired(program: Raw, **properties: Any) -> dict[str, dict[str, Any]]:
    return pack_runner.remediated(program.built(), asked("remediate", **properties))


def said(program: Raw, level: str) -> list[tuple[str, str]]:
    found = pack_runner.judge_here(program.built(), asked(level))
    return [(d.level, d.message) for d in found if d.policy == identity.NAME]


def test_nothing_is_changed_or_said_unless_asked_for() -> None:
    program = Raw().add(VPC, "net", cidrBlock="10.0.0.0/16")
    assert pack_runner.remediated(program.built(), {}) == {}
    assert [d for d in pack_runner.judge_here(program.built()) if d.policy == identity.NAME] == []


@pytest.mark.parametrize(
    ("token", "prop", "dash"), [(VPC, "tags", "/"), (BUCKET, "labels", "-"), (GKE, "resourceLabels", "-"), (AKS, "tags", "-")]
)
def test_each_cloud_gets_its_own_spelling_in_its_own_property(token: str, prop: str, dash: str) -> None:
    tags = {"stack": STACK, "cluster": "train", "resource": "thing", "managed-by": "gpukit"}
    found = repaired(Raw().add(token, "thing", name="x"), cluster="train")
    assert found["thing"] == {"name": "x", prop: {f"gpukit{dash}{word}": value for word, value in tags.items()}}


def test_the_cluster_is_the_stack_files_and_else_the_stacks_name() -> None:
    program = Raw().add(VPC, "net")
    assert repaired(program)["net"]["tags"]["gpukit/cluster"] == STACK
    program.config["gpukit:cluster"] = '{"name": "blue"}'
    assert repaired(program)["net"]["tags"]["gpukit/cluster"] == "blue"


def test_what_is_there_stays_and_only_what_is_missing_comes() -> None:
    tags = {"gpukit/cluster": "theirs", "team": "research"}
    found = repaired(Raw().add(VPC, "net", tags=tags))["net"]["tags"]
    assert found.items() >= tags.items()
    assert set(found) - set(tags) == {"gpukit/stack", "gpukit/resource", "gpukit/managed-by"}
    assert repaired(Raw().add(VPC, "net", tags=found)) == {}


def test_secrets_are_still_secret_afterwards() -> None:
    program = Raw().add(VPC, "net", password=Secret("canary-7f3a"), tags=Secret({"team": "canary-7f3a"}))
    found = repaired(program)["net"]
    assert found["password"] == {**SECRET, "value": "canary-7f3a"}
    assert found["tags"].items() >= SECRET.items()
    assert found["tags"]["value"]["team"] == "canary-7f3a"
    assert found["tags"]["value"]["gpukit/stack"] == STACK


def test_unknown_values_pass_through_and_unknown_tags_are_left_alone_and_named() -> None:
    beside = Raw().add(VPC, "net", cidrBlock=Unknown("cidrBlock"), tags={"team": Unknown("tags.team")})
    assert repaired(beside)["net"]["cidrBlock"] == UNKNOWN_SENTINEL
    hidden = Raw().add(VPC, "net", tags=Unknown("tags"))
    assert repaired(hidden) == {}
    ((level, message),) = said(hidden, "remediate")
    assert level == "mandatory"
    assert message.startswith("net: tags is known only after the update, so it cannot be told")


@pytest.mark.parametrize("level", ["advisory", "mandatory"])
def test_without_remediation_what_is_missing_is_named(level: str) -> None:
    ((spoken, message),) = said(Raw().add(VPC, "net", tags={"gpukit/stack": "s"}), level)
    assert spoken == level
    assert message.startswith("net: tags lacks gpukit/cluster, gpukit/resource, gpukit/managed-by, so no teardown")


def test_an_identity_that_the_cloud_would_not_take_is_named_and_never_shortened() -> None:
    program = Raw().add(BUCKET, "Daten")
    assert repaired(program) == {}
    ((_, message),) = said(program, "mandatory")
    assert message.startswith("Daten: its identity does not fit into labels: tag 'gpukit-resource' has the value 'Daten'")


def test_other_kinds_are_none_of_its_business() -> None:
    program = Raw().add("aws:ec2/route:Route", "out").add("kubernetes:core/v1:Pod", "p")
    assert repaired(program) == {}
    assert said(program, "mandatory") == []


PACKAGES = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure-native": "pulumi_azure_native"}


@pytest.mark.parametrize(("prop", "token"), [(prop, token) for (_, prop), tokens in identity.TAGGED.items() for token in tokens])
def test_every_kind_that_gets_tags_has_such_a_property(prop: str, token: str) -> None:
    package, module, name = token.split(":")
    args = getattr(importlib.import_module(f"{PACKAGES[package]}.{module}"), f"{name}Args")
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in prop)
    assert "Mapping[str" in str(inspect.signature(args.__init__).parameters[snake].annotation)
