"""Runs the pack with Python alone: the analyzer protocol over a `ResourceSet`, as the engine would speak it.

`run` starts the pack as the engine does and talks gRPC; `judge_here` gives the same requests to the SDK's servicer in this process,
which is faster and what most tests take.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import jsonschema
import pytest
from google.protobuf import empty_pb2, struct_pb2
from google.protobuf.json_format import MessageToDict
from pulumi.runtime.proto import analyzer_pb2 as pb
from pulumi.runtime.proto import analyzer_pb2_grpc as rpc
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _PolicyAnalyzerServicer  # pyright: ignore[reportPrivateUsage] # one gRPC test stands beside it

from components.resource import Resource, ResourceSet, Secret
from components.unknown import Unknown
from policies import pack as pack_module
from policies.masking import Masked
from policies.pack import policies

Config = Mapping[str, Mapping[str, Any]]
PACK = Path(pack_module.__file__).parent
UNKNOWN_SENTINEL = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SECRET = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
_MESSAGE_BYTES = 400 << 20


@dataclass(frozen=True)
class Diagnostic:
    policy: str
    level: str
    urn: str
    message: str
    """Without the policy's description, which the SDK puts in front."""


def wire(value: Any) -> Any:
    """JSON as the engine sends it."""
    if isinstance(value, Unknown):
        return UNKNOWN_SENTINEL
    if isinstance(value, Secret):
        return {**SECRET, "value": wire(value.value)}
    if isinstance(value, Mapping):
        return {key: wire(inner) for key, inner in value.items()}
    return [wire(inner) for inner in value] if isinstance(value, list | tuple) else value


def struct(value: Mapping[str, Any]) -> struct_pb2.Struct:
    found = struct_pb2.Struct()
    found.update(wire(value))
    return found


def _provider(resource: Resource, resources: ResourceSet) -> pb.AnalyzerProviderResource | None:
    provider = resources.by_urn.get(resource.provider or "")
    if provider is None:
        return None
    return pb.AnalyzerProviderResource(type=provider.type, urn=provider.urn, name=provider.name, properties=struct(provider.inputs))


def _on_the_wire(resource: Resource, resources: ResourceSet) -> pb.AnalyzerResource:
    return pb.AnalyzerResource(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=struct(resource.inputs),
        provider=_provider(resource, resources),
        parent=resource.parent or "",
        options=pb.AnalyzerResourceOptions(
            protect=resource.options.protect,
            ignoreChanges=resource.options.ignore_changes,
            deleteBeforeReplace=resource.options.delete_before_replace,
        ),
        dependencies=resource.dependencies,
        propertyDependencies={prop: pb.AnalyzerPropertyDependencies(urns=urns) for prop, urns in resource.property_dependencies.items()},
    )


WORKED_OUT = ("region", "arn", "imageId", "amiType", "capacityType", "computeConfig", "capacityReservationSpecification", "diskSize")
"""Outputs that a provider works out where the program gives nothing: a preview knows none of them."""


def _outputs(resource: Resource, resources: ResourceSet) -> pb.AnalyzerResource:
    """A resource as a stack policy gets it in a preview: its outputs."""
    sent = _on_the_wire(resource, resources)
    if resource.type == "pulumi:pulumi:Stack":
        sent.properties.CopyFrom(struct(resource.outputs))
    if not resource.type.startswith("pulumi:"):
        sent.properties.update({key: UNKNOWN_SENTINEL for key in WORKED_OUT if key not in resource.inputs})
    return sent


@contextmanager
def _served(config: Mapping[str, str]) -> Generator[rpc.AnalyzerStub]:
    environment = {**os.environ, "PULUMI_CONFIG": json.dumps(dict(config))}
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "pulumi.policy", "none", "."],
        cwd=PACK,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port.isdigit(), process.communicate(timeout=10)
        with grpc.insecure_channel(f"127.0.0.1:{int(port)}", options=[("grpc.max_receive_message_length", _MESSAGE_BYTES)]) as channel:
            yield rpc.AnalyzerStub(channel)
    finally:
        process.terminate()
        process.communicate(timeout=10)


def run(resources: ResourceSet, policy_config: Config | None = None) -> list[Diagnostic]:
    """Everything that the pack, in a process of its own, says about `resources`."""
    with _served(resources.config) as pack:
        return _said(pack, resources, policy_config or {})


def judge_here(resources: ResourceSet, policy_config: Config | None = None) -> list[Diagnostic]:
    """The same from the pack's policies in this process."""
    with _here(resources) as pack:
        return _said(pack, resources, policy_config or {})


def remediated(resources: ResourceSet, policy_config: Config) -> dict[str, dict[str, Any]]:
    """What the pack, in this process, makes of the inputs of each resource that it changes, by name and as the engine gets them."""
    with _here(resources) as pack:
        _configure(pack, policy_config)
        found: dict[str, dict[str, Any]] = {}
        for resource in resources:
            for given in pack.Remediate(_request(resource, resources), timeout=30).remediations:
                assert not given.diagnostic
                found[resource.name] = MessageToDict(given.properties)
        return found


@contextmanager
def _here(resources: ResourceSet) -> Generator[Any]:
    """As `_served`, in this process."""
    servicer = _PolicyAnalyzerServicer("gpukit", "0.0.0", policies(), EnforcementLevel.MANDATORY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PULUMI_CONFIG", json.dumps(dict(resources.config)))
        yield _Here(Masked(servicer))


class _Here:
    """The servicer with the stub's signatures."""

    def __init__(self, servicer: Any) -> None:
        self.servicer = servicer

    def __getattr__(self, method: str) -> Callable[..., Any]:
        return lambda request, timeout: getattr(self.servicer, method)(request, None)  # noqa: ARG005 # nothing to wait for


def _said(pack: Any, resources: ResourceSet, policy_config: Config) -> list[Diagnostic]:
    """Resource by resource and then as a stack."""
    _configure(pack, policy_config)
    found: list[Diagnostic] = []
    for resource in resources:
        answer = pack.Analyze(_request(resource, resources), timeout=30)
        found += [_read(diagnostic, resource.urn) for diagnostic in answer.diagnostics]
    whole = pb.AnalyzeStackRequest(resources=[_outputs(resource, resources) for resource in resources])
    return found + [_read(diagnostic) for diagnostic in pack.AnalyzeStack(whole, timeout=60).diagnostics]


def _request(resource: Resource, resources: ResourceSet) -> pb.AnalyzeRequest:
    sent = _on_the_wire(resource, resources)
    return pb.AnalyzeRequest(
        type=sent.type,
        urn=sent.urn,
        name=sent.name,
        properties=sent.properties,
        options=sent.options,
        provider=_provider(resource, resources),
    )


def _configure(pack: Any, given: Config) -> None:
    """The engine's part: defaults, then the file, checked against each policy's schema."""
    config: dict[str, pb.PolicyConfig] = {}
    for policy in pack.GetAnalyzerInfo(empty_pb2.Empty(), timeout=30).policies:
        properties = dict(given.get(policy.name, {}))
        level = properties.pop("enforcementLevel", None)
        schema = {"type": "object", "properties": MessageToDict(policy.configSchema.properties), "additionalProperties": False}
        jsonschema.validate(properties, schema)
        config[policy.name] = pb.PolicyConfig(enforcementLevel=policy.enforcementLevel, properties=struct(properties))
        if level is not None:
            config[policy.name].enforcementLevel = pb.EnforcementLevel.Value(str(level).upper())
    pack.Configure(pb.ConfigureAnalyzerRequest(policyConfig=config), timeout=30)


def _read(diagnostic: pb.AnalyzeDiagnostic, urn: str = "") -> Diagnostic:
    level = pb.EnforcementLevel.Name(diagnostic.enforcementLevel).lower()
    message = diagnostic.message.removeprefix(f"{diagnostic.description}\n")
    return Diagnostic(diagnostic.policyName, level, diagnostic.urn or urn, message)
