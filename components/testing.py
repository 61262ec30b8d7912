"""Unit tests of programs that use the components: Pulumi's mocks that also answer what a provider would compute.

    made = testing.made_by(lambda: aws.build(spec, region="us-east-1", stack="lab"))
    templates = made.of_type("aws:ec2/launchTemplate:LaunchTemplate")

`Mocks` alone goes to `pulumi.runtime.set_mocks` in a test suite that has its own way of running programs.

Mocks that return inputs alone lack what a cloud tells after creation (an endpoint, the scaling groups of a node group): programs that
use it fail, or build half. Here every output that the SDK declares, and does not call optional, is answered with a placeholder of its
declared type, with all that stands in it; an object of the inputs gets its missing words. All of it is simulated: ids and addresses lead nowhere, no provider checks an input, no default is filled in.
"""

from __future__ import annotations

import asyncio
import base64
import contextvars
import enum
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import pulumi

# The SDK's own reading of its generated classes; nothing public tells an output's type. tests/components/test_testing.py watches it.
from pulumi._types import is_output_type, output_type_types, resource_types
from pulumi.runtime import MockCallArgs, MockResourceArgs

_DEPTH = 4
"""Objects within objects that are answered; some types hold themselves."""
_KUBECONFIG = """\
apiVersion: v1
kind: Config
clusters: [{name: simulated, cluster: {server: "https://simulated.invalid", certificate-authority-data: c2ltdWxhdGVk}}]
users: [{name: simulated, user: {}}]
contexts: [{name: simulated, context: {cluster: simulated, user: simulated}}]
current-context: simulated
"""
_CALLS: Mapping[str, Mapping[str, Any]] = {
    "azure-native:containerservice:listManagedClusterUserCredentials": {
        "kubeconfigs": [{"name": "clusterUser", "value": base64.b64encode(_KUBECONFIG.encode()).decode()}],
    },
}
"""Functions of providers that the components call."""


class Mocks(pulumi.runtime.Mocks):
    """Stands in for the engine and its providers; `made` is what a program registered, in order, with inputs in the provider's spelling."""

    def __init__(self) -> None:
        self.made: list[MockResourceArgs] = []

    def of_type(self, token: str) -> list[MockResourceArgs]:
        """What was registered of one type, such as `aws:eks/nodeGroup:NodeGroup`."""
        return [each for each in self.made if each.typ == token]

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        """The inputs, and a placeholder for whatever else the SDK declares; a component has neither id nor outputs of its own."""
        self.made.append(args)
        if not args.custom:
            return None, dict(args.inputs)
        return f"{args.name}-id", {**_declared(args), **args.inputs} | _fitted(args)

    def call(self, args: MockCallArgs) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        """What a provider's function tells; nothing where no component asks it."""
        return dict(_CALLS.get(args.token, {})), []


def made_by(program: Callable[[], object], *, project: str = "project", stack: str = "stack") -> Mocks:
    """What `program` registers under mocks of its own, outputs awaited; raises what it raises, and leaves no trace in Pulumi's runtime."""
    return contextvars.Context().run(_run, program, project, stack)


def _run(program: Callable[[], object], project: str, stack: str) -> Mocks:
    mocks, loop = Mocks(), asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        pulumi.runtime.set_mocks(mocks, project, stack, preview=False)
        pulumi.runtime.test(program)()
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    return mocks


def _declared(args: MockResourceArgs) -> dict[str, Any]:
    """A placeholder for each output that is always there."""
    own = _class_of(args.typ)
    if own is None:
        return {}
    types, always = resource_types(own), _always(own)
    return {name: _placeholder(types[name], f"{args.name}-{name}", _DEPTH) for name in always if name in types}


def _fitted(args: MockResourceArgs) -> dict[str, Any]:
    """Inputs that come back in another or a fuller form: objects with what the cloud adds, lists of ids as objects by id."""
    own = _class_of(args.typ)
    types = resource_types(own) if own is not None else {}
    return {name: _completed(value, types[name], f"{args.name}-{name}", _DEPTH) for name, value in args.inputs.items() if name in types}


def _completed(value: Any, kind: Any, name: str, depth: int) -> Any:
    if _is_mapping(kind) and isinstance(value, list):
        return {each: _placeholder(get_args(kind)[1], f"{name}-{each}", depth) for each in value if isinstance(each, str)}
    if not isinstance(value, dict) or not isinstance(kind, type) or not is_output_type(kind):
        return value
    types = output_type_types(kind)
    words = {key: f"{name}-{key}" for key, each in types.items() if each is str}
    return {**words, **{key: _completed(each, types.get(key), f"{name}-{key}", depth) for key, each in value.items()}}


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _placeholder(kind: Any, name: str, depth: int) -> Any:
    """A value of the declared type: words name their property, numbers are 1, lists hold one."""
    if get_origin(kind) is not None:
        return _container(kind, name, depth)
    if not isinstance(kind, type):
        return name
    if is_output_type(kind):
        return {key: _placeholder(each, f"{name}-{key}", depth - 1) for key, each in output_type_types(kind).items()} if depth else {}
    if issubclass(kind, enum.Enum):
        return next(iter(kind)).value
    return {bool: False, int: 1, float: 1.0}.get(kind, name)


def _container(kind: Any, name: str, depth: int) -> Any:
    first = get_args(kind)[0]
    if _is_mapping(kind):
        return {}
    if isinstance(get_origin(kind), type):
        return [_placeholder(first, name, depth)] if depth else []
    return _placeholder(first, name, depth) if isinstance(first, type) else first  # one of several types, or a Literal


@cache
def _always(own: type) -> tuple[str, ...]:
    """The provider's names of properties that the SDK does not call optional."""
    found: list[str] = []
    for each in vars(own).values():
        if isinstance(each, property) and each.fget is not None:
            name = getattr(each.fget, "_pulumi_name", None)
            if name and type(None) not in get_args(_unwrapped(each.fget)):
                found.append(name)
    return tuple(found)


def _unwrapped(getter: Any) -> Any:
    """What a getter returns, without `Output`."""
    hint = get_type_hints(getter).get("return")
    return get_args(hint)[0] if get_origin(hint) is pulumi.Output else hint


def _class_of(token: str) -> type[pulumi.CustomResource] | None:
    """The generated class of a type; it is loaded, as a program has just made one."""
    if token not in _classes():
        _classes.cache_clear()
    return _classes().get(token)


@cache
def _classes() -> dict[str, type[pulumi.CustomResource]]:
    return {token: each for each in _below(pulumi.CustomResource) if isinstance(token := getattr(each, "pulumi_type", None), str)}


def _below(base: type[pulumi.CustomResource]) -> Iterator[type[pulumi.CustomResource]]:
    for each in base.__subclasses__():
        yield each
        yield from _below(each)
