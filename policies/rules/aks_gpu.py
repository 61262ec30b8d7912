"""GPU-AKS: who drives the GPUs of an agent pool, and whether its operator runs there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from components.catalog.grid import grid_family
from components.inventory import Owner
from components.unknown import Unknown
from policies.finding import Level, Status

from .aks_agents import Agents, gpu_agents, is_word
from .aks_charts import GPU_OPERATOR, operators, value
from .rule import Case, Rule, Scope, Verdict, cannot_tell

AKS_RUNTIME = "nvidia-container-runtime"
NVIDIA = "NVIDIA"
_NO_OPERATOR = ("windows", "flatcar", "azurelinuxosguard")
"""Operating systems on which the GPU Operator does not run."""


def _nvidia(case: Case) -> Iterator[Agents]:
    return (found for found in gpu_agents(case) if any(machine.vendor == NVIDIA for machine in found.machines))


# --- GPU-AKS-10


def _grid(case: Case) -> Iterator[Verdict]:
    """E2. Two owners of the driver, or none, are GPU-DRV-01's."""
    for found in _nvidia(case):
        machine = next((machine for machine in found.machines if grid_family(machine)), None)
        if machine is None or found.pool.driver_owners == ():
            continue
        text = (
            f"{machine.name} shares its GPU by vGPU and needs the GRID driver, but gpuProfile.driver is None, so that AKS installs none and the "
            "GPU Operator's data-centre driver crashes. Take it out, set driver.enabled=false in the operator's values, and pin the node image."
        )
        without = is_word(found.own.driver, "None")
        yield from found.judged(without, "gpuProfile.driver", text, "it cannot be told whether it gets the GRID driver")


# --- GPU-AKS-11


def _runtime(case: Case) -> Iterator[Verdict]:
    """AKS names its container runtime otherwise than the operator does."""
    for found in _nvidia(case):
        if found.pool.toolkit_owners != (Owner.CLOUD,):
            continue
        for chart in operators(case, GPU_OPERATOR, found.pool.cluster):
            given = value(chart, "operator.runtimeClass")
            if isinstance(given, Unknown):
                so = "it cannot be told whether its pods find the container runtime"
                yield replace(cannot_tell(chart.urn, given, subject=chart.name, so=so), level=Level.ADVISORY)
            elif given != AKS_RUNTIME:
                text = (
                    f"{chart.name}: AKS installs the container toolkit on {found.own.name} and calls its runtime {AKS_RUNTIME}, but "
                    f"operator.runtimeClass is {given or 'nvidia, the default'}: no runtime is configured for the operator's pods. Set it to {AKS_RUNTIME}."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="values.operator.runtimeClass", message=text)


# --- GPU-AKS-12


def _unserved(case: Case) -> Iterator[Verdict]:
    """C3. Where no operator is there at all, GPU-DRV-01 says that nobody installs the driver."""
    for found in _nvidia(case):
        if is_word(found.own.driver, "None") is not True or found.pool.driver_owners == ():
            continue
        sku = found.pool.image.kind if found.pool.image is not None else ""
        if isinstance(sku, Unknown):
            yield cannot_tell(found.own.urn, sku, subject=found.own.name, so="it cannot be told whether the GPU Operator runs on its nodes")
        elif sku.casefold().startswith(_NO_OPERATOR):
            text = f"gpuProfile.driver is None and the GPU Operator does not run on {sku}: nobody installs the driver. Use osSKU Ubuntu, or leave the driver to AKS."
            yield found.violated("osSKU", text)


# --- GPU-AKS-13


def _slices(case: Case) -> Iterator[Verdict]:
    for found in gpu_agents(case):
        machine = next((machine for machine in found.machines if machine.mig is False), None)
        if machine is None:
            continue
        text = (
            f"gpuInstanceProfile divides GPUs, which {machine.gpu_model} of {machine.name} cannot. Take it out, or take a machine with MIG."
        )
        slices = found.own.gpu_slices
        claim = slices if isinstance(slices, Unknown) else slices is not None
        yield from found.judged(claim, "gpuInstanceProfile", text, "it cannot be told whether its GPUs are to be divided")


RULES = (
    Rule(
        id="GPU-AKS-10",
        title="Machines that share GPUs by vGPU get the GRID driver, from AKS alone",
        failures=("E2",),
        scope=Scope.STACK,
        check=_grid,
        fix="Standard_NV36ads_A10_v5 without gpuProfile, driver.enabled=false in the GPU Operator's values",
    ),
    Rule(
        id="GPU-AKS-11",
        title="The GPU Operator uses the container runtime that AKS installs",
        failures=("C3",),
        scope=Scope.STACK,
        check=_runtime,
        fix="operator.runtimeClass: nvidia-container-runtime, where AKS brings driver and toolkit",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-AKS-12",
        title="Where AKS installs no driver, the GPU Operator can",
        failures=("C3",),
        scope=Scope.STACK,
        check=_unserved,
        fix="gpuProfile.driver None with osSKU Ubuntu",
    ),
    Rule(
        id="GPU-AKS-13",
        title="Only GPUs with MIG are divided",
        failures=(),
        scope=Scope.RESOURCE,
        check=_slices,
        fix="gpuInstanceProfile on A100, H100 and later",
    ),
)
