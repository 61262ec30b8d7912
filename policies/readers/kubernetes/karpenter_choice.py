"""The machines that the requirements of a Karpenter NodePool leave.

Labels are Karpenter's own: it takes category and generation out of a type's name by `(^[a-z]+)(-[0-9]+tb)?([0-9]+)` (Karpenter 1.14,
`pkg/providers/instancetype`). The catalogue answers what it can; a requirement that it cannot answer narrows the choice further, so that
leaving it out never bounds the choice too low.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from components import catalog
from components.catalog import Machine
from components.inventory import MachineChoice, Manifest, NodePool
from components.unknown import Maybe, Unknown
from policies.readers.values import items, text

_AT = ("spec", "template", "spec", "requirements")
_PATH = "spec.template.spec.requirements"
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_OPEN = "a choice of machines that Karpenter makes: neither types nor families are named"
_SCHEME = re.compile(r"([a-z]+)(?:-\d+tb)?(\d+)")
_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


@dataclass(frozen=True)
class Requirement:
    key: str
    operator: str
    values: Maybe[tuple[str, ...]]


Requirements = Sequence[Requirement]


def requirements(manifest: Manifest) -> Maybe[Requirements]:
    """Those of the pool, in order: one key may stand several times."""
    found = items(manifest.read(*_AT), _PATH)
    if isinstance(found, Unknown):
        return found
    read: list[Requirement] = []
    for i in range(len(found)):
        key, operator = (text(manifest.read(*_AT, i, prop), f"{_PATH}[{i}].{prop}") for prop in ("key", "operator"))
        if isinstance(key, Unknown):
            return key
        read.append(Requirement(key or "", operator if isinstance(operator, str) else "", _values(manifest, i)))
    return read


def _values(manifest: Manifest, index: int) -> Maybe[tuple[str, ...]]:
    found = items(manifest.read(*_AT, index, "values"), f"{_PATH}[{index}].values")
    if isinstance(found, Unknown):
        return found
    read: list[str] = []
    for i in range(len(found)):
        value = manifest.read(*_AT, index, "values", i)
        if not isinstance(value, str | int):
            return value if isinstance(value, Unknown) else Unknown(f"{_PATH}[{index}].values[{i}]", "not readable: no text")
        read.append(str(value))
    return tuple(read)


def asked(wanted: Requirements, *keys: str) -> Maybe[tuple[str, ...]] | None:
    """Values of the first of `keys` that is required with In; None where none is."""
    for key in keys:
        for one in wanted:
            if one.key == key and one.operator == "In":
                return one.values
    return None


def machines(manifest: Manifest, wanted: Requirements) -> Maybe[tuple[Maybe[str], ...]]:
    """Machines named by type, else those of the catalogue that the other requirements leave.

    Families, GPU names and sizes close the choice. A category does where none of its machines has accelerators: those are priced and
    judged one by one, and a category goes on growing.
    """
    named = asked(wanted, _INSTANCE_TYPE)
    if isinstance(named, Unknown):
        return named
    rows = tuple(catalog.machines("aws")) if named is None else tuple(_rows(named))
    for one in wanted:
        holds = _judge(one)
        if isinstance(holds, Unknown):
            return holds
        rows = tuple(row for row in rows if holds(row))
    nothing = Unknown(manifest.at(_PATH), "a choice that no machine of the catalogue meets")
    if named is not None:
        left = {row.name for row in rows}
        return tuple(name for name in named if name in left or catalog.find_machine("aws", name) is None) or nothing
    if not (_closed(wanted) or (rows and not any(row.accelerated for row in rows) and asked(wanted, *_keys("instance-category")))):
        return Unknown(manifest.at(_PATH), _OPEN)
    return tuple(row.name for row in rows) or nothing


_WIDE = 40
"""A choice of more machines than this is one that nobody made by name."""


def choices(pool: NodePool) -> Iterator[MachineChoice]:
    """The machines that the pool may start, for those who allow machines: one by one, or as a choice that nobody can allow."""
    path = pool.paths["machines"]
    found: tuple[Maybe[str], ...] = (pool.machines,) if isinstance(pool.machines, Unknown) else pool.machines
    if len(found) > _WIDE:
        found = (Unknown(path, f"a choice among {len(found)} machines"),)
    for machine in found:
        yield MachineChoice(urn=pool.urn, cloud="aws", region=None, machine=machine, path=path)


def _rows(named: tuple[str, ...]) -> Iterator[Machine]:
    return (row for name in named if (row := catalog.find_machine("aws", name)) is not None)


def _keys(suffix: str) -> tuple[str, str]:
    """Karpenter's spelling and that of EKS Auto Mode."""
    return f"karpenter.k8s.aws/{suffix}", f"eks.amazonaws.com/{suffix}"


def _scheme(machine: Machine) -> tuple[str, str]:
    found = _SCHEME.match(machine.name)
    return (found[1], found[2]) if found else ("", "")


_LABELS: Mapping[str, Callable[[Machine], str]] = {
    _INSTANCE_TYPE: lambda m: m.name,
    "kubernetes.io/arch": lambda m: _ARCHITECTURES.get(m.arch, ""),
    **{key: (lambda m: m.family) for key in _keys("instance-family")},
    **{key: (lambda m: _scheme(m)[0]) for key in _keys("instance-category")},
    **{key: (lambda m: _scheme(m)[1]) for key in _keys("instance-generation")},
    **{key: (lambda m: m.name.partition(".")[2]) for key in _keys("instance-size")},
    **{key: (lambda m: str(m.vcpus)) for key in _keys("instance-cpu")},
    **{key: (lambda m: f"{m.memory_gib * 1024:.0f}") for key in _keys("instance-memory")},
    **{key: (lambda m: (m.gpu_model or "").casefold()) for key in _keys("instance-gpu-name")},
    **{key: (lambda m: f"{m.gpu_count:g}" if m.gpu_count else "") for key in _keys("instance-gpu-count")},
}
"""What a machine says to each key; "" where it lacks the label."""
_CLOSING = [
    key
    for suffix in ("instance-family", "instance-gpu-name", "instance-size", "instance-gpu-count", "instance-cpu")
    for key in _keys(suffix)
]


def _closed(wanted: Requirements) -> bool:
    return any(one.operator == "In" and one.key in _CLOSING for one in wanted)


def _judge(one: Requirement) -> Maybe[Callable[[Machine], bool]]:
    """What the requirement says of a machine: true of all where the catalogue cannot answer, or where values it leaves out are hidden."""
    label, values = _LABELS.get(one.key), one.values
    if label is None:
        return lambda _: True
    if isinstance(values, Unknown):
        return values if one.operator == "In" else lambda _: True
    if one.operator in _OPERATORS:
        judge = _OPERATORS[one.operator]
        return lambda machine: judge(label(machine), values)
    return lambda _: True


def _compared(said: str, values: tuple[str, ...], holds: Callable[[float, float], bool]) -> bool:
    """Karpenter takes one whole number; anything else is no requirement that could be answered."""
    if len(values) != 1 or not values[0].isdigit():
        return True
    return said.isdigit() and holds(float(said), float(values[0]))


_OPERATORS: Mapping[str, Callable[[str, tuple[str, ...]], bool]] = {
    "In": lambda said, values: said in values,
    "NotIn": lambda said, values: said not in values,
    "Exists": lambda said, _: said != "",
    "DoesNotExist": lambda said, _: said == "",
    "Gt": lambda said, values: _compared(said, values, lambda own, bound: own > bound),
    "Lt": lambda said, values: _compared(said, values, lambda own, bound: own < bound),
    "Gte": lambda said, values: _compared(said, values, lambda own, bound: own >= bound),
    "Lte": lambda said, values: _compared(said, values, lambda own, bound: own <= bound),
}
