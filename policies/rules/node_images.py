"""GPU-IMG: the image runs on the machine, is recent enough for it, and really is the one that nodes start from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from components import catalog
from components.catalog import Machine, fit
from components.inventory import GpuPool, NodePool, Owner
from components.unknown import Maybe, Unknown
from policies.finding import Level, Status
from policies.readers.values import all_of, denied, mapped

from .clusters import control_plane
from .pools import place, rows, version
from .rule import Case, Rule, Scope, Verdict, judged, listed

LAST_AL2 = (1, 32)
"""The last Kubernetes version for which EKS takes an Amazon Linux 2 image."""
NVLINK_5 = ("p6-b200", "p6-b300", "p6e-gb200")
"""Families whose fabric needs NVLink's subnet manager (C11)."""
OWN = "CUSTOM"
_RELEASE = re.compile(r"v(\d{8})")


def _kind(pool: NodePool) -> Maybe[str | None]:
    return pool.image.kind if pool.image is not None else None


def _amazon_linux_2(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether EKS takes its image"
    for pool in case.inventory.pools:
        kind = _kind(pool)
        old = mapped(kind, lambda said: said is not None and said.startswith("AL2_"))
        late = mapped(_version(pool, case), lambda said: said is not None and version(said)[:2] > LAST_AL2)
        text = (
            f"image type {kind} on Kubernetes {_shown(_version(pool, case))}: EKS takes Amazon Linux 2 up to 1.32 and refuses the "
            "group. Its support ended on 2025-11-26. Take AL2023_x86_64_NVIDIA or a Bottlerocket NVIDIA type for GPUs."
        )
        yield from judged(all_of([old, late]), place(pool, "image"), text, so)


def _version(pool: NodePool, case: Case) -> Maybe[str | None]:
    """The pool's own, else its cluster's. EKS's default, where neither says one, is newer than any Amazon Linux 2 image."""
    if pool.kubernetes_version is not None:
        return pool.kubernetes_version
    plane = control_plane(case, pool.cluster)
    if plane is not None:
        return "1.99" if plane.version is None else plane.version
    return Unknown("version", "that of a cluster outside this program")


def _shown(said: Maybe[str | None]) -> str:
    return "of EKS's default version" if said == "1.99" else str(said)


def _wrong_image(case: Case) -> Iterator[Verdict]:
    """B9. A standard image on an NVIDIA machine is GPU-DRV-01's."""
    for pool in case.inventory.pools:
        kind = _kind(pool)
        image = catalog.image(pool.cloud, kind) if isinstance(kind, str) else None
        if image is None:
            continue
        for row in rows(pool):
            found = fit.node_image(image, row)
            if found.runs is False and not _is_standard(image.serves, row) and image.offered:
                text = (
                    f"{row.name} cannot start from image type {kind}: {found.reason}. Nodes do not join, or never offer their accelerators. "
                    f"Take the image type for {row.arch} and {row.vendor or 'machines without accelerators'}."
                )
                yield from judged(True, place(pool, "image"), text, "")


def _is_standard(serves: tuple[str, ...], row: Machine) -> bool:
    return row.vendor == "NVIDIA" and "NVIDIA" not in serves


def _old_release(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether its image is recent enough for the machine"
    for pool in case.inventory.gpu_pools:
        if pool.managed is None:
            continue
        for row in rows(pool):
            need = _RELEASE.search(row.min_image or "")
            if need is None or _kind(pool) == OWN:
                continue
            release = pool.managed.release
            wrong = mapped(release, lambda said, need=need: said is not None and _day(said) < need[1])
            text = (
                f"{row.name} needs image release {need[0]} or later, and the group is pinned to {release}: the driver does not know the GPU. "
                "Raise releaseVersion."
            )
            yield from judged(wrong, place(pool, "releaseVersion"), text, so)


def _day(release: str) -> str:
    """`1.35.0-20251103` -> 20251103; "" sorts before every day: a release that cannot be read is no recent one."""
    found = re.search(r"(\d{8})", release)
    return found[1] if found else ""


def _no_node_config(case: Case) -> Iterator[Verdict]:
    """H15: with an image id EKS adds nothing to the template, and takes no image type beside it."""
    for pool in case.inventory.pools:
        if pool.managed is None or pool.managed.own_image is None:
            continue
        typed = mapped(pool.managed.image_type, lambda said: said not in (None, OWN))
        text = "an image type beside an image id in the launch template: EKS refuses the group, or the id is not the image that runs. "
        text += "Leave amiType out, or set it to CUSTOM."
        yield from judged(typed, place(pool, "amiType"), text, "it cannot be told which image its nodes start from")
        text = (
            "an image of your own without user data. EKS adds nothing where the template names an image, so the nodes never learn of their "
            "cluster and do not join. Give userData with a NodeConfig of the cluster's name, endpoint, certificate and address range."
        )
        so = "it cannot be told whether its nodes learn of their cluster"
        yield from judged(denied(pool.managed.user_data), place(pool, "launchTemplate.userData"), text, so)


def _own_fabric(case: Case) -> Iterator[Verdict]:
    """C10, C11: on NVSwitch machines Fabric Manager must have the driver's very version, and nothing in a plan tells an image's content."""
    for pool in case.inventory.gpu_pools:
        switched = [row for row in rows(pool) if row.nvlink == "nvswitch"]
        if _kind(pool) != OWN or not switched:
            continue
        five = [row.name for row in switched if row.family in NVLINK_5]
        if five and pool.driver_owners == (Owner.GPU_OPERATOR,):
            text = (
                f"{listed(five)} on your own image with the GPU Operator's driver. Their NVLink needs the subnet manager nvlsm and the modules "
                "ib_umad and mlx5_ib, which Ubuntu images lack: the fabric stays in progress and CUDA ends with error 802. Take "
                "AL2023_x86_64_NVIDIA, which has them, or add the modules to the image."
            )
            yield from judged(True, place(pool, "image"), text, "", level=Level.ADVISORY)
        yield _unchecked(pool, listed(row.name for row in switched))


def _unchecked(pool: GpuPool, machines: str) -> Verdict:
    text = (
        f"{pool.name}: {machines} on your own image, and nothing tells whether Fabric Manager in it has the driver's version. With another one "
        "CUDA ends with error 802 while nvidia-smi looks fine. Install both from one release and hold them back from unattended upgrades."
    )
    at = place(pool, "image")
    return Verdict(status=Status.UNCHECKED, urn=at.urn, path=at.path, message=text)


RULES = (
    Rule(
        id="GPU-IMG-01",
        title="No Amazon Linux 2 from Kubernetes 1.33 on",
        failures=("B7",),
        scope=Scope.STACK,
        check=_amazon_linux_2,
        fix="amiType AL2023_x86_64_NVIDIA",
    ),
    Rule(
        id="GPU-IMG-02",
        title="The image is built for the machine's processor and accelerators",
        failures=("B9",),
        scope=Scope.STACK,
        check=_wrong_image,
        fix="amiType AL2023_ARM_64_NVIDIA for g5g.xlarge, AL2023_x86_64_NVIDIA for g5.xlarge",
    ),
    Rule(
        id="GPU-IMG-03",
        title="A pinned image release knows the machine's GPU",
        failures=("B10",),
        scope=Scope.STACK,
        check=_old_release,
        fix="releaseVersion of the day that the catalogue gives for the machine, or later",
    ),
    Rule(
        id="GPU-IMG-04",
        title="An image id comes with node configuration and without an image type",
        failures=("H15",),
        scope=Scope.STACK,
        check=_no_node_config,
        fix="launch template with imageId and userData (NodeConfig), no amiType on the group",
    ),
    Rule(
        id="GPU-IMG-05",
        title="On NVSwitch machines driver and fabric software come from one image",
        failures=("C10", "C11"),
        scope=Scope.STACK,
        check=_own_fabric,
        fix="amiType AL2023_x86_64_NVIDIA, which ships driver, Fabric Manager and NVLink's subnet manager of one release",
    ),
)
