"""Programs as raw pulumi-aws resources, written as other teams write them: the tests take a good one and break one thing."""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from components.resource import Options, Resource, ResourceSet
from components.unknown import Unknown
from policies import Finding, Limits, Settings
from policies.readers import types

PROJECT, STACK = "research", "dev"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
UNKNOWN = Unknown("id")
SETTINGS = Settings(now=NOW, limits=Limits())


def urn(type_: str, name: str) -> str:
    return f"urn:pulumi:{STACK}::{PROJECT}::{type_}::{name}"


@dataclass
class Written:
    """One resource of a program, still open to changes."""

    type: str
    inputs: dict[str, Any]
    depends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    provider: str | None = None
    id: str | Unknown = UNKNOWN
    options: Options = field(default_factory=Options)


@dataclass
class Raw:
    """A program under construction: resources by name, in order."""

    written: dict[str, Written] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=dict)

    def add(self, type_: str, name: str, /, **inputs: Any) -> Self:
        """Values that start with `@` refer to the id of another resource of the program, which is not known yet."""
        self.written[name] = Written(type_, inputs)
        return self

    def set(self, name: str, value: Any, *path: str | int) -> Self:
        """A copy with one input changed; None takes it out."""
        other = deepcopy(self)
        node: Any = other.written[name].inputs
        for key in path[:-1]:
            node = node[key]
        if value is None:
            node.pop(path[-1], None) if isinstance(node, dict) else node.pop(path[-1])
        else:
            node[path[-1]] = value
        return other

    def hide(self, name: str, *path: str | int) -> Self:
        """A copy in which one input is known only after the update."""
        return self.set(name, Unknown(".".join(map(str, path))), *path)

    def without(self, *names: str) -> Self:
        other = deepcopy(self)
        for name in names:
            del other.written[name]
        return other

    def plus(self, type_: str, name: str, /, **inputs: Any) -> Self:
        return deepcopy(self).add(type_, name, **inputs)

    def with_options(self, name: str, **options: Any) -> Self:
        """A copy with resource options of one resource."""
        other = deepcopy(self)
        other.written[name].options = Options(**options)
        return other

    def urn(self, name: str) -> str:
        return urn(self.written[name].type, name)

    def built(self) -> ResourceSet:
        return ResourceSet(project=PROJECT, stack=STACK, resources=tuple(self._resource(name) for name in self.written), config=self.config)

    def _resource(self, name: str) -> Resource:
        written = self.written[name]
        depends = {prop: tuple(self._referred(value)) for prop, value in written.inputs.items()}
        inputs = {prop: _planned(value) for prop, value in written.inputs.items()}
        return Resource(
            urn=self.urn(name),
            type=written.type,
            name=name,
            inputs=inputs,
            outputs=inputs,
            id=written.id,
            property_dependencies={prop: urns for prop, urns in depends.items() if urns} | written.depends,
            provider=self.urn(written.provider) if written.provider else None,
            dependencies=tuple(dict.fromkeys(urn for urns in written.depends.values() for urn in urns)),
            options=written.options,
        )

    def _referred(self, value: Any) -> list[str]:
        if isinstance(value, str) and value.startswith("@") and value[1:] in self.written:
            return [self.urn(value[1:])]
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return list(dict.fromkeys(found for child in children for found in self._referred(child)))


def _planned(value: Any) -> Any:
    """What a preview knows: nothing of ids to come."""
    if isinstance(value, str) and value.startswith("@"):
        return Unknown("id")
    if isinstance(value, dict):
        return {key: _planned(inner) for key, inner in value.items()}
    return [_planned(inner) for inner in value] if isinstance(value, list) else value


def interface(card: int, device: int, kind: str, *groups: str) -> dict[str, Any]:
    return {
        "networkCardIndex": card,
        "deviceIndex": device,
        "interfaceType": kind,
        "securityGroups": list(groups or ("@fabric",)),
        "deleteOnTermination": "true",
    }


OWNED = {"owner": "research", "expires": "2027-03-01"}
NODE_CONFIG = b64encode(b"kind: NodeConfig\nspec: {instance: {localStorage: {strategy: RAID0}}}").decode()


def training() -> Raw:
    """A p4d spot pool with EFA in the legacy layout, security group with inline rules, driver from the image. Nothing is wrong with it."""
    program = Raw(config={"aws:region": "us-east-1"})
    program.add(types.SUBNET, "private", availabilityZone="us-east-1d", vpcId="vpc-1", cidrBlock="10.0.0.0/20")
    program.add(types.CLUSTER, "eks", version="1.35", roleArn="arn:role", vpcConfig={"subnetIds": ["@private"]}, tags=OWNED)
    itself = {"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}
    anywhere = {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}
    program.add(types.SECURITY_GROUP, "fabric", vpcId="vpc-1", ingress=[itself], egress=[anywhere, itself])
    program.add(
        types.LAUNCH_TEMPLATE,
        "p4d",
        instanceType="p4d.24xlarge",
        networkInterfaces=[interface(card, 0 if card == 0 else 1, "efa") for card in range(4)],
        blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeSize": 500, "volumeType": "gp3"}}],
        tagSpecifications=[{"resourceType": kind, "tags": {"team": "research"}} for kind in ("instance", "volume", "network-interface")],
        userData=NODE_CONFIG,
    )
    program.add(
        types.NODE_GROUP,
        "gpu",
        clusterName="@eks",
        amiType="AL2023_x86_64_NVIDIA",
        capacityType="SPOT",
        subnetIds=["@private"],
        launchTemplate={"id": "@p4d", "version": "$Latest"},
        scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 4},
        updateConfig={"updateStrategy": "MINIMAL"},
    )
    program.add(
        types.NODE_GROUP,
        "system",
        clusterName="@eks",
        amiType="AL2023_x86_64_STANDARD",
        instanceTypes=["m7i.large"],
        subnetIds=["@private"],
        diskSize=100,
        scalingConfig={"minSize": 2, "desiredSize": 2, "maxSize": 4},
        updateConfig={"maxUnavailable": 1},
    )
    program.add(
        types.RELEASE,
        "operator",
        chart="gpu-operator",
        namespace="gpu",
        timeout=1800,
        values={"driver": {"enabled": False}, "toolkit": {"enabled": False}},
    )
    left_to_the_autoscaler = Options(ignore_changes=("scalingConfig.desiredSize",))
    program.written["gpu"].options = program.written["system"].options = left_to_the_autoscaler
    return program


def said(findings: tuple[Finding, ...], rule: str) -> list[Finding]:
    return [f for f in findings if f.rule == rule]
