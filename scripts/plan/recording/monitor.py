"""The resource monitor and engine that a program talks to while it is recorded.

Both are plain objects with the methods of the SDK's gRPC stubs: `pulumi.runtime.Settings` accepts them in their place.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pulumi
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import alias_pb2, engine_pb2, provider_pb2, resource_pb2

from . import invokes, manifests, transforms
from .confidential import Confidential
from .echo import echoed
from .tape import Entry, Tape
from .version_aliases import VersionAliases
from .wire import UNKNOWN, plain

STACK_TYPE = "pulumi:pulumi:Stack"

_FEATURES = (
    "SECRETS",
    "RESOURCE_REFERENCES",
    "ALIAS_SPECS",
    "DELETED_WITH",
    "REPLACE_WITH",
    "REPLACEMENT_TRIGGER",
    "TRANSFORMS",
    "INVOKE_TRANSFORMS",
    "PARAMETERIZATION",
    "RESOURCE_HOOKS",
    "ERROR_HOOKS",
    "STATE_MIGRATIONS",
)
"""Everything that a program may ask for, but for output values: without them the SDK sends inputs in their simplest form."""


class DuplicateUrn(Exception):
    """Two resources of one type, name and parents: the engine would refuse the second."""


class Monitor:
    """Takes registrations as in a preview: outputs are the inputs, everything else of the type is unknown."""

    def __init__(self, tape: Tape, config: Mapping[str, str]) -> None:
        self.tape = tape
        self.config = config
        self.confidential = Confidential()
        self.version_aliases = VersionAliases()
        self.unanswered: set[str] = set()
        """Tokens of functions whose answer was unknown."""
        self._sent: dict[str, struct_pb2.Struct] = {}
        self._parent_of: dict[str, str] = {}
        self._transforms = transforms.Transforms()
        self._lock = threading.Lock()

    # What this monitor can do -------------------------------------------------------------------------------------------------------

    def GetDeploymentInfo(self, _request: empty_pb2.Empty) -> resource_pb2.DeploymentInfo:
        known = (getattr(resource_pb2, f"RESOURCE_MONITOR_FEATURE_{name}", None) for name in _FEATURES)
        return resource_pb2.DeploymentInfo(supportedFeatures=[f for f in known if f is not None])

    def SupportsFeature(self, request: resource_pb2.SupportsFeatureRequest) -> resource_pb2.SupportsFeatureResponse:
        return resource_pb2.SupportsFeatureResponse(hasSupport=request.id != "outputValues")

    def RegisterPackage(self, request: resource_pb2.RegisterPackageRequest) -> resource_pb2.RegisterPackageResponse:
        return resource_pb2.RegisterPackageResponse(ref=f"{request.name}@{request.version}")

    # Resources ----------------------------------------------------------------------------------------------------------------------

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> resource_pb2.RegisterResourceResponse:
        request = self._transforms.applied(request, self._parents(request.parent))
        urn = self._urn(request.parent, request.type, request.name)
        if request.remote and not request.type.startswith("kubernetes:"):  # of those, manifests and values tell what they create
            self.tape.note(f"{request.type} {request.name!r} is a component of another package: what it creates is not seen offline")
        entry = _registered(urn, request, plain(request.object, self.confidential.add))
        entry.aliases += self.version_aliases.of(request.type)
        self._add(urn, request.object, entry)
        self._transforms.own(urn, request.transforms)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=request.importId, object=echoed(request.type, request.object))

    def RegisterResourceOutputs(self, request: resource_pb2.RegisterResourceOutputsRequest) -> empty_pb2.Empty:
        if request.urn.split("::")[2:3] == [STACK_TYPE]:
            self.tape.outputs = plain(request.outputs, self.confidential.add)
        return empty_pb2.Empty()

    def ReadResource(self, request: resource_pb2.ReadResourceRequest) -> resource_pb2.ReadResourceResponse:
        urn = self._urn(request.parent, request.type, request.name)
        if request.type == "pulumi:pulumi:StackReference":
            self.tape.note(f"outputs of stack {request.id!r} are unknown offline")
        self._add(urn, request.properties, _read(urn, request, plain(request.properties, self.confidential.add)))
        response = resource_pb2.ReadResourceResponse(urn=urn, properties=request.properties)
        if hasattr(response, "id"):  # older SDKs take the id of their own request
            response.id = request.id
        return response

    def ExistsResource(self, request: Any) -> Any:
        self.tape.note(f"whether {request.type} {request.id!r} exists is unknown offline")
        return resource_pb2.ExistsResourceResponse(exists=False, unknown=True)

    def _add(self, urn: str, sent: struct_pb2.Struct, entry: Entry) -> None:
        with self._lock:
            if urn in self._sent:
                raise DuplicateUrn(
                    f"{entry.type} {entry.name!r} is registered twice (URN {urn}): give the second one another name or parent"
                )
            self._sent[urn], self._parent_of[urn] = sent, entry.parent
            self.tape.entries.append(entry)

    def _urn(self, parent: str, type_: str, name: str) -> str:
        above = parent.split("::")[2] if parent else STACK_TYPE
        chain = type_ if above == STACK_TYPE else f"{above}${type_}"
        return f"urn:pulumi:{self.tape.stack}::{self.tape.project}::{chain}::{name}"

    def _parents(self, urn: str) -> list[str]:
        """`urn` and what is above it, nearest first."""
        chain: list[str] = []
        while urn:
            chain.append(urn)
            urn = self._parent_of.get(urn, "")
        return chain

    # Functions ----------------------------------------------------------------------------------------------------------------------

    def Invoke(self, request: resource_pb2.ResourceInvokeRequest) -> Any:
        if request.tok == "pulumi:pulumi:getResource":
            return invokes.response(self._state(request.args.fields["urn"].string_value))
        objects = manifests.decoded(request.tok, request.args)
        found = invokes.answer(request.tok, self._region(request)) if objects is None else (objects, "")
        if found is None:
            self.tape.note(f"the answer of {request.tok} is unknown offline")
            self.unanswered.add(request.tok)
            return invokes.unknown_response()
        result, note = found
        if note:
            self.tape.note(note)
        return invokes.response(result)

    def Call(self, request: Any) -> Any:
        self.tape.note(f"the answer of method {request.tok} is unknown offline")
        result = provider_pb2.CallResponse()
        getattr(result, "return").update({"unknown": UNKNOWN})
        return result

    def _state(self, urn: str) -> dict[str, Any]:
        sent = self._sent.get(urn)
        return {"urn": urn, "id": "", "state": sent if sent is not None else struct_pb2.Struct()}

    def _region(self, request: resource_pb2.ResourceInvokeRequest) -> str | None:
        """Region of the provider that would answer: its own, else the stack's. None when it is unknown or unset."""
        provider = self._sent.get(request.provider.rpartition("::")[0])
        region = (
            provider.fields["region"].string_value
            if provider is not None and "region" in provider.fields
            else self.config.get("aws:region", "")
        )
        return region if region and UNKNOWN not in region else None

    # Accepted, and of no consequence for a plan -------------------------------------------------------------------------------------

    def RegisterStackTransform(self, request: Any) -> empty_pb2.Empty:
        self._transforms.stack.append(request)
        return empty_pb2.Empty()

    def RegisterStackInvokeTransform(self, _request: Any) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def RegisterResourceHook(self, _request: Any) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def RegisterErrorHook(self, _request: Any) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def SignalAndWaitForShutdown(self, _request: empty_pb2.Empty) -> empty_pb2.Empty:
        return empty_pb2.Empty()


class Engine:
    """Keeps what the program logs."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def Log(self, request: engine_pb2.LogRequest) -> empty_pb2.Empty:
        if request.severity != engine_pb2.DEBUG:
            self.tape.logs.append((engine_pb2.LogSeverity.Name(request.severity).lower(), request.message))
        return empty_pb2.Empty()

    def RequirePulumiVersion(self, _request: Any) -> Any:
        return engine_pb2.RequirePulumiVersionResponse()


@contextmanager
def no_debug_log() -> Generator[None]:
    """While open, debug messages, which `Engine` drops, are not even made: the SDK writes ten of them a resource, a seventh of the time."""
    module: Any = pulumi.log
    real = module.debug
    module.debug = lambda *_args, **_keys: None
    try:
        yield
    finally:
        module.debug = real


@contextmanager
def no_stack_traces() -> Generator[None]:
    """While open, no resource carries the stack of calls that made it, which nobody here reads: a sixth of the time, more in deep programs."""
    module: Any = import_module("pulumi.runtime.resource")
    name = "_get_stack_trace"
    real = getattr(module, name, None)
    if real is None:  # an SDK that makes none
        yield
        return
    from pulumi.runtime.proto import source_pb2

    setattr(module, name, source_pb2.StackTrace)
    try:
        yield
    finally:
        setattr(module, name, real)


def _registered(urn: str, request: resource_pb2.RegisterResourceRequest, inputs: dict[str, Any]) -> Entry:
    return Entry(
        urn=urn,
        type=request.type,
        name=request.name,
        custom=request.custom,
        parent=request.parent,
        inputs=inputs,
        id=request.importId,
        # The SDK builds these from sets: sorted, so that two runs give one plan.
        dependencies=sorted(request.dependencies),
        property_dependencies={k: sorted(v.urns) for k, v in sorted(request.propertyDependencies.items()) if v.urns},
        provider=request.provider.rpartition("::")[0],
        protect=request.protect,
        retain_on_delete=request.retainOnDelete,
        delete_before_replace=request.deleteBeforeReplace,
        ignore_changes=list(request.ignoreChanges),
        deleted_with=request.deletedWith,
        aliases=[*request.aliasURNs, *map(_alias, request.aliases)],
        remote=request.remote,
    )


def _read(urn: str, request: resource_pb2.ReadResourceRequest, inputs: dict[str, Any]) -> Entry:
    return Entry(
        urn=urn,
        type=request.type,
        name=request.name,
        custom=True,
        parent=request.parent,
        inputs=inputs,
        id="" if UNKNOWN in request.id else request.id,
        dependencies=sorted(request.dependencies),
        provider=request.provider.rpartition("::")[0],
        external=True,
    )


def _alias(alias: alias_pb2.Alias) -> str:
    """An alias in one line: its URN, or what differs (`name=old`)."""
    if alias.urn:
        return alias.urn
    return ", ".join(f"{field.name}={value}" for field, value in alias.spec.ListFields() if value)
