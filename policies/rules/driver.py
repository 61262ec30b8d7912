"""GPU-DRV: driver and container toolkit have exactly one owner on every node."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.inventory import GpuPool, Owner
from components.unknown import Unknown, known
from policies.finding import Status
from policies.readers.kubernetes.helm import RENDERED

from . import driver_words
from .pools import nvidia_pools
from .rule import Case, Rule, Scope, Verdict, cannot_tell


def _kind(pool: GpuPool) -> str:
    return pool.image.kind if pool.image is not None and known(pool.image.kind) else "unknown"


def _path(pool: GpuPool) -> str:
    return pool.image.path if pool.image is not None else ""


def _driver(case: Case) -> Iterator[Verdict]:
    for pool in nvidia_pools(case):
        owners = pool.driver_owners
        if pool.image is None:
            continue  # pools that GKE makes by itself: GPU-GKE-43
        if isinstance(owners, Unknown):
            yield _untold(pool, owners, "driver")
        elif owners is None:
            text = f"{pool.name}: the image is your own ({_kind(pool)}) and nothing tells whether it ships the NVIDIA driver. "
            text += "Make sure that either the image or the GPU Operator (driver.enabled) brings it, not both."
            yield Verdict(status=Status.UNCHECKED, urn=pool.urn, path=_path(pool), message=text)
        elif len(owners) != 1:
            yield _wrong_number(pool, owners)
        elif owners == (Owner.GPU_OPERATOR,) and (system := _without_operator_driver(pool)):
            text = f"{pool.name}: image {_kind(pool)} ships no NVIDIA driver, and the GPU Operator has no driver image for {system}"
            yield Verdict(status=Status.VIOLATED, urn=pool.urn, path=_path(pool), message=text)


def _untold(pool: GpuPool, owners: Unknown, part: str) -> Verdict:
    fix = "Install charts with helm.v3.Release or helm.v4.Chart, which tell them." if owners.reason == RENDERED else ""
    return cannot_tell(pool.urn, owners, subject=pool.name, so=f"it cannot be told who installs the NVIDIA {part}", fix=fix)


def _without_operator_driver(pool: GpuPool) -> str | None:
    """The image's system with what to do instead, where the operator has no driver for it."""
    row = catalog.image(pool.cloud, _kind(pool))
    return driver_words.NO_OPERATOR_DRIVER.get(row.os) if row is not None else None


def _wrong_number(pool: GpuPool, owners: tuple[Owner, ...]) -> Verdict:
    if owners:
        text = f"{pool.name}: {len(owners)} owners of the NVIDIA driver ({', '.join(owners)}): "
        text += driver_words.too_many(pool.cloud, _kind(pool), owners)
    else:
        text = f"{pool.name}: nobody installs the NVIDIA driver: {driver_words.nobody(pool.cloud, _kind(pool))}"
    return Verdict(status=Status.VIOLATED, urn=pool.urn, path=_path(pool), message=text)


def _toolkit(case: Case) -> Iterator[Verdict]:
    for pool in nvidia_pools(case):
        owners = pool.toolkit_owners
        if isinstance(owners, Unknown):
            yield _untold(pool, owners, "container toolkit")
        elif owners is not None and len(owners) > 1:
            text = f"{pool.name}: {len(owners)} owners of the NVIDIA container toolkit ({', '.join(owners)}): "
            text += driver_words.toolkit_twice(pool.cloud, _kind(pool), owners)
            yield Verdict(status=Status.VIOLATED, urn=pool.urn, path=_path(pool), message=text)


RULES = (
    Rule(
        id="GPU-DRV-01",
        title="Exactly one owner installs the NVIDIA driver",
        failures=("C1", "C2", "C3", "C5", "B6", "E2"),
        scope=Scope.STACK,
        check=_driver,
        fix="amiType AL2023_x86_64_NVIDIA with driver.enabled=false in the GPU Operator's values",
    ),
    Rule(
        id="GPU-DRV-02",
        title="At most one owner installs the NVIDIA container toolkit",
        failures=("C1", "C2"),
        scope=Scope.STACK,
        check=_toolkit,
        fix="amiType AL2023_x86_64_NVIDIA with toolkit.enabled=false in the GPU Operator's values",
    ),
)
