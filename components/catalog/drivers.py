"""NVIDIA drivers and CUDA: what a driver runs, how long its branch lives, and what a framework release brings along."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import UnknownName
from .tables import as_of, rows, source, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaRelease:
    """One CUDA toolkit release on Linux."""

    version: str
    min_driver_minor_compat: str | None
    """Oldest driver under minor-version compatibility of its major release."""
    driver: str | None
    """The driver that NVIDIA's table prints for the release, in general the one that ships with it."""
    notes: str
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaMajor:
    """Drivers that run every minor release of one CUDA major."""

    major: int
    min_driver: str
    below_driver: str | None
    """From here on the driver is natively newer than the major."""
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverBranch:
    branch: int
    kind: str
    """`Long Term Support`, `Production` or `New Feature`."""
    end_of_life: str
    """Month, `2028-06`."""
    max_cuda_major: int
    """Highest CUDA major without the forward-compatibility package."""
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """One framework release: what its default Linux wheel brings and the oldest driver that runs it."""

    name: str
    cuda: str
    cudnn: str
    nccl: str
    min_driver: str
    notes: str
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaArchitecture:
    """Toolkits that compile for a compute capability: from `first_cuda`, up to `last_cuda_major`; None for no known bound."""

    compute_capability: str
    first_cuda: str | None
    last_cuda_major: int | None
    source: str
    as_of: date | None


@cache
def cuda_releases() -> tuple[CudaRelease, ...]:
    """Newest first."""
    return tuple(
        CudaRelease(
            version=row["version"],
            min_driver_minor_compat=row["min_driver_minor_compat"] or None,
            driver=row["driver"] or None,
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("cuda")
    )


@cache
def cuda_majors() -> tuple[CudaMajor, ...]:
    """Newest first."""
    return tuple(
        CudaMajor(
            major=int(row["major"]),
            min_driver=row["min_driver"],
            below_driver=row["below_driver"] or None,
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("cuda_majors")
    )


@cache
def driver_branches() -> tuple[DriverBranch, ...]:
    return tuple(
        DriverBranch(
            branch=int(row["branch"]),
            kind=row["kind"],
            end_of_life=row["end_of_life"],
            max_cuda_major=int(row["max_cuda"]),
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("driver_branches")
    )


@cache
def frameworks() -> tuple[Framework, ...]:
    """Newest first."""
    return tuple(
        Framework(
            name=row["framework"],
            cuda=row["cuda"],
            cudnn=row["cudnn"],
            nccl=row["nccl"],
            min_driver=row["min_driver"],
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("frameworks")
    )


@cache
def cuda_architectures() -> tuple[CudaArchitecture, ...]:
    return tuple(
        CudaArchitecture(
            compute_capability=row["compute_capability"],
            first_cuda=row["first_cuda"] or None,
            last_cuda_major=whole(row["last_cuda_major"]),
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("cuda_architectures")
    )


def driver_runs(driver: str, cuda: str) -> bool:
    """Whether `driver` ("580.159.03") runs programs of toolkit `cuda` ("13.0") by minor-version compatibility.

    Raises UnknownName for a CUDA major of which no floor is known.
    """
    return at_least(driver, oldest_driver(cuda))


def oldest_driver(cuda: str) -> str:
    """The oldest driver for toolkit `cuda` by minor-version compatibility. Raises UnknownName for a CUDA major without a known floor."""
    major = cuda.split(".", maxsplit=1)[0]
    floors = {str(m.major): m.min_driver for m in cuda_majors()}
    if major not in floors:
        raise UnknownName("CUDA major", major, floors)
    return floors[major]


def at_least(driver: str, floor: str) -> bool:
    """Whether `driver` is `floor` or later. A bare branch ("580") counts as every release of it: compared as far as both go."""
    given, asked = _parts(driver), _parts(floor)
    return given[: len(asked)] >= asked[: len(given)]


def cuda_serves(cuda: str, compute_capability: str) -> bool | None:
    """Whether toolkit `cuda` compiles for a GPU of that capability; None where the catalogue holds no bound for it."""
    for known in cuda_architectures():
        if known.compute_capability == compute_capability:
            old_enough = known.last_cuda_major is None or _parts(cuda)[0] <= known.last_cuda_major
            return old_enough and (known.first_cuda is None or _parts(cuda) >= _parts(known.first_cuda))
    return None


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
