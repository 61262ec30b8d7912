"""Objects of the policy SDK -> `ResourceSet`, failing closed: what the SDK refuses to show is `Unknown`, never absent.

The SDK hands out properties as proxies that raise on unknown values, numbers as floats, secrets unwrapped (`masking` marks them before it
does). In a stack policy the
properties are outputs, in a resource policy inputs. A preview knows no output that the provider works out, so that everything that the
program leaves to the cloud would be unknown: `Inputs` keeps what the resource policies saw for the stack policies after them. Outputs of
the stack itself are left out: a secret one looks like any other here, and `gpukit plan` and `check` judge them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from pulumi_policy import PolicyProviderResource, PolicyResource, PolicyResourceOptions, ResourceValidationArgs
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError

from components.resource import Options, Resource, ResourceSet, Secret, Value
from components.unknown import MASKED_SECRET, SECRET, Unknown

_DEFAULTS = "__defaults"
"""Where bridged providers keep which values they filled in themselves."""

STACK = "pulumi:pulumi:Stack"


class Inputs:
    """Inputs of the resources that the engine has shown one by one in this run, by URN."""

    def __init__(self) -> None:
        self._seen: dict[str, Value] = {}

    def remember(self, args: ResourceValidationArgs) -> Value:
        """The inputs, which are kept."""
        self._seen[args.urn] = value(args.props)
        return self._seen[args.urn]

    def of(self, urn: str, otherwise: Value) -> Value:
        """What the program gave; `otherwise`, the outputs, for resources that the engine has not shown (targeted runs)."""
        return self._seen.get(urn, otherwise)


def value(given: object, path: str = "") -> Value:
    """Plain JSON of a property, with `Unknown` where the SDK raises and for what is no JSON (assets, archives)."""
    if isinstance(given, Mapping):
        node = cast("Mapping[str, object]", given)
        keys = (key for key in node.keys() if key != _DEFAULTS)  # noqa: SIM118 - values may raise
        return {key: _entry(node, key, f"{path}.{key}" if path else str(key)) for key in keys}
    if isinstance(given, str):
        return _text(given, path)
    if isinstance(given, bool | int) or given is None:
        return given
    if isinstance(given, float):
        return int(given) if given.is_integer() else given
    if isinstance(given, Sequence):
        items = cast("Sequence[object]", given)
        return [_entry(items, i, f"{path}[{i}]") for i in range(len(items))]
    return Unknown(path, f"not readable: {type(given).__name__}")


def _text(given: str, path: str) -> Value:
    """A text with an unknown inside is unknown as a whole, which the SDK does not see."""
    if given == MASKED_SECRET:
        return Secret(Unknown(path, SECRET))
    return Unknown(path) if UNKNOWN_STRING_VALUE in given else given


def _entry(node: Any, key: str | int, path: str) -> Value:
    try:
        return value(node[key], path)
    except UnknownValueError:
        return Unknown(path)


def of_stack(resources: Iterable[PolicyResource], inputs: Inputs) -> ResourceSet:
    """All resources of a stack policy's call. Providers that only appear as a reference are added."""
    listed = list(resources)
    found = [_resource(resource, inputs) for resource in listed]
    here = {resource.urn for resource in found}
    providers = {p.urn: _provider(p) for p in (resource.provider for resource in listed) if p is not None and p.urn not in here}
    return _set((*providers.values(), *found))


def of_resource(args: ResourceValidationArgs, inputs: Inputs) -> ResourceSet:
    """The one resource of a resource policy's call, with its provider. Its inputs are kept for the stack policies."""
    resource = Resource(
        urn=args.urn,
        type=args.resource_type,
        name=args.name,
        inputs=inputs.remember(args),
        provider=args.provider.urn if args.provider else None,
        options=_options(args.opts),
    )
    return _set((_provider(args.provider), resource) if args.provider else (resource,))


def stack_config() -> dict[str, str]:
    """The stack's configuration without its secrets, where the engine hands it over; {} where it does not or it is not readable."""
    read, secret = _environment("PULUMI_CONFIG"), _environment("PULUMI_CONFIG_SECRET_KEYS")
    if not isinstance(read, Mapping):
        return {}
    hidden = frozenset(map(str, cast("list[object]", secret))) if isinstance(secret, list) else frozenset[str]()
    given = {str(key): inner for key, inner in cast("Mapping[object, object]", read).items()}
    return {key: inner if isinstance(inner, str) else json.dumps(inner) for key, inner in given.items() if key not in hidden}


def _environment(variable: str) -> object:
    try:
        return json.loads(os.environ.get(variable) or "{}")
    except json.JSONDecodeError:
        return {}


def _set(resources: tuple[Resource, ...]) -> ResourceSet:
    """Stack and project come from a URN, as packs started as plain executables get them from nowhere else."""
    _, _, rest = (resources[0].urn if resources else "").partition("urn:pulumi:")
    stack, _, project = rest.partition("::")
    return ResourceSet(project=project.partition("::")[0], stack=stack, resources=resources, config=stack_config())


def _resource(given: PolicyResource, inputs: Inputs) -> Resource:
    props = value(given.props)
    identity = props.get("id") if isinstance(props, dict) else None
    return Resource(
        urn=given.urn,
        type=given.resource_type,
        name=given.name,
        custom=given.provider is not None,  # the SDK does not say it, but only components have no provider
        parent=given.parent.urn if given.parent else None,
        inputs=inputs.of(given.urn, props),
        outputs={} if given.resource_type == STACK else props,  # unwrapped: whether the program keeps one secret cannot be seen here
        id=identity if isinstance(identity, str) and identity else Unknown("id"),
        dependencies=tuple(_urns(given.dependencies)),
        property_dependencies={prop: tuple(_urns(others)) for prop, others in given.property_dependencies.items()},
        provider=given.provider.urn if given.provider else None,
        options=_options(given.opts),
    )


def _urns(resources: Iterable[PolicyResource | None]) -> Iterator[str]:
    """The SDK leaves gaps for dependencies that it does not find."""
    return (resource.urn for resource in resources if resource is not None)


def _provider(given: PolicyProviderResource) -> Resource:
    return Resource(urn=given.urn, type=given.resource_type, name=given.name, inputs=value(given.props))


def _options(given: PolicyResourceOptions) -> Options:
    return Options(
        protect=bool(given.protect),
        ignore_changes=tuple(given.ignore_changes),
        delete_before_replace=bool(given.delete_before_replace),
        partial=True,
    )
