"""What a program may hold at worst: hostile values, plausible resources of every type that a reader knows, tangled references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from components.resource import Resource, ResourceSet, Secret
from components.unknown import Unknown
from policies import Finding, Settings, evaluate
from policies.readers import READERS
from policies.readers.tokens import read_as
from scripts.sandbox import sdk_schema
from tests.policies.azure_raw import inference as azure_inference
from tests.policies.azure_raw import infiniband
from tests.policies.gcp_raw import a3_mega, inference, rdma
from tests.policies.raw import PROJECT, SETTINGS, STACK, training, urn

CANARY = "canary-7f3a"
DEPTH = 3000
"""Beyond what Python lets functions nest."""


class DeepList(list[Any]):
    """Lists in lists, which no report of a failing test could write out."""

    def __repr__(self) -> str:
        return "deep list"


class DeepMap(dict[str, Any]):
    def __repr__(self) -> str:
        return "deep object"


def deep_list() -> DeepList:
    node: Any = "x"
    for _ in range(DEPTH):
        node = [node]
    return DeepList(node)


def deep_map(key: str) -> DeepMap:
    node: Any = 1
    for _ in range(DEPTH):
        node = {key: node}
    return DeepMap(node)


BOMB = "\n".join(["a0: &a0 [x, x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))])
"""YAML of a few lines that says far more than memory holds."""
LISTS = "\n".join(
    ["- &l0 {apiVersion: v1, kind: List, items: []}"]
    + [f"- &l{i} {{apiVersion: v1, kind: List, items: [{', '.join([f'*l{i - 1}'] * 9)}]}}" for i in range(1, 12)]
)
TEXTS = [
    *("", " ", "-1", "0", "1e999", "NaN", "0x10", "\u0661\u0662", "9" * 400, "true", "all", "null", "[secret]"),
    *("\x00", "\x1b[31m", "\u202e", "\ud800", "\n\n# head", "\U0001f642", "a" * 100_000),
    *("%s%n%d", "{0.__class__}", "{{ value }}", "${jndi:x}", "'; --", "<script>", "](http://evil.example)", "@team"),
    *("../../../etc/passwd", "/dev/zero", "C:\\x", "file:///etc/passwd", "urn:pulumi:a::b::c::d", "arn:aws:::", "projects//zones/"),
    *("&a [*a]", "&a {apiVersion: v1, kind: List, items: [*a]}", BOMB, "apiVersion: v1\nkind: List\nitems: " + LISTS.replace("\n", "\n  ")),
    *("[" * 5000, "{" * 5000, "{1: x, null: y, [a]: z}", "!!python/object:os.system x", "---\n---\n", "2026-13-45", "a: 0o9"),
    *("SPOT", "Spot", "efa", "p4d.24xlarge", "g2-standard-8", "Standard_ND96isr_H100_v5", "us-central1", "2x2", "gpu-operator"),
]
NUMBERS = [0, -1, 2**31, 2**63, 10**400, -(10**20), 0.5, -0.0, 1e308, float("nan"), float("inf"), float("-inf")]
TREES = [[], {}, [[]], [None], {"": None}, deep_list(), deep_map("values"), {"apiVersion": 1, "kind": []}, {"name": {"name": []}}]
HIDDEN = [Unknown("x"), Secret(CANARY), Secret({"name": CANARY}), [Secret(CANARY)], {"values": Secret(CANARY), CANARY[:0]: Unknown("x")}]
VALUES: list[Any] = [None, True, False, *TEXTS, *NUMBERS, *TREES, *HIDDEN]
KEYS = ["id", "name", "ebs", "enabled", "driver", "type", "count", "network", "maximum", "values", "spec", "\x00"]
hostile = st.recursive(
    st.one_of(st.sampled_from(VALUES), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=5,
)


@cache
def seeds() -> dict[str, ResourceSet]:
    """By the type of a resource, a program of good sense that holds one: one that tests start from, or the resource alone."""
    found: dict[str, ResourceSet] = {}
    for program in (training(), infiniband(), azure_inference(), a3_mega(), rdma(), inference()):
        built = program.built()
        for resource in built:
            found.setdefault(read_as(resource.type), built)
    return {token: found.get(token) or alone(token) for token in READERS}


def alone(token: str) -> ResourceSet:
    """One resource with every input that the SDK knows, each of the right type."""
    inputs = plausible(token)
    resource = Resource(urn=urn(token, "one"), type=token, name="one", inputs=inputs, outputs=inputs)
    return ResourceSet(project=PROJECT, stack=STACK, resources=(resource,), config={"aws:region": "us-east-1"})


def plausible(token: str) -> dict[str, Any]:
    schema = sdk_schema.resource(token) if token.partition(":")[0] in sdk_schema.PACKAGES else None
    if schema is None or not schema.inputs.shapes:
        return OTHERWISE
    return {name: _fitting(name, shape, 4) for name, shape in schema.inputs.shapes.items()}


OTHERWISE: dict[str, Any] = {
    "metadata": {"name": "one"},
    "spec": {"vpc": "net", "type": "L3"},
    "yaml": "kind: Pod\napiVersion: v1\nmetadata: {name: one}",
    "file": "one.yaml",
    "files": ["one.yaml"],
    "objs": [{"apiVersion": "v1", "kind": "Pod"}],
    "directory": "base",
    "chart": "gpu-operator",
    "defaultNodePool": {"vmSize": "Standard_NC24ads_A100_v4", "nodeCount": 1},
    "vmSize": "Standard_NC24ads_A100_v4",
    "nodeCount": 1,
}
"""Inputs of the types that the installed SDKs do not know."""


def _fitting(name: str, shape: sdk_schema.Shape, room: int) -> Any:
    if shape.record is not None:
        inner = sdk_schema.properties(shape.record).shapes if room else {}
        return {key: _fitting(key, below, room - 1) for key, below in inner.items()}
    if shape.item is not None:
        return [_fitting(name, shape.item, room - 1)]
    if shape.entry is not None:
        return {"one": _fitting(name, shape.entry, room - 1)}
    return True if bool in shape.scalars else 1 if shape.scalars & {int, float} else WORDS.get(name, "one")


WORDS = {
    "instanceType": "p4d.24xlarge",
    "machineType": "a3-megagpu-8g",
    "vmSize": "Standard_ND96isr_H100_v5",
    "zone": "us-central1-a",
    "region": "us-central1",
    "location": "eastus",
    "acceleratorType": "v5litepod-8",
}


def judged(resources: ResourceSet, settings: Settings = SETTINGS) -> tuple[Finding, ...]:
    """What the rules say; fails where one of them or a reader broke, or where a secret is told."""
    findings = evaluate(resources, settings)
    assert not [f.message for f in findings if "Error)" in f.message]
    assert not [f for f in findings if CANARY in f"{f.message}{f.path}{f.urn}"]
    return findings


def tangled(resources: ResourceSet) -> Iterator[ResourceSet]:
    """The program with references to what is not there, to the resource itself, and round in a circle."""
    urns = [r.urn for r in resources]
    missing = ["urn:pulumi:dev::x::y::gone"] * len(urns)
    for meant in (missing, urns, [*urns[1:], urns[0]]):
        yield replace(resources, resources=tuple(_pointing(r, at) for r, at in zip(resources, meant, strict=True)))


def _pointing(resource: Resource, at: str) -> Resource:
    every = dict.fromkeys(resource.inputs, (at,))
    options = replace(resource.options, deleted_with=at)
    return replace(resource, parent=at, provider=at, dependencies=(at,), property_dependencies=every, options=options)
