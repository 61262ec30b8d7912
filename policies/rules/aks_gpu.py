"""GPU-AKS: who drives the GPUs of an agent pool, and whether its operator runs there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from components.catalog.grid import grid_family
from components.inventory import Owner
from components.unknown import Unknown, known
from policies.finding import Level, Status
from policies.readers.azure.agent_pool import SPOT_TAINT

from .aks_agents import Agents, gpu_agents, is_word
from .aks_charts import GPU_OPERATOR, operators, tolerates, value
from .rule import Case, Rule, Scope, Verdict, cannot_tell

AKS_RUNTIME = "nvidia-container-runtime"
NVIDIA = "NVIDIA"
SPOT_KEY = SPOT_TAINT.partition("=")[0]
_NO_OPERATOR = ("windows", "flatcar", "azurelinuxosguard")
"""Operating systems on which the GPU Operator does not run."""


def _nvidia(case: Case) -> Iterator[Agents]:
    return (found for found in gpu_agents(case) if any(machine.vendor == NVIDIA for machine in found.machines))


# --- GPU-AKS-10


def _grid(case: Case) -> Iterator[Verdict]:
    for found in _nvidia(case):
        machine = next((machine for machine in found.machines if grid_family(machine)), None)
        if machine is None:
            continue
        why = f"{machine.name} shares its GPU by vGPU and needs the GRID driver"
        so = "it cannot be told whether it gets the GRID driver"
        nobody = (
            f"{why}, but gpuProfile.driver is None, so that AKS installs none and the operator's data-centre driver crashes. Take it out."
        )
        yield from found.judged(is_word(found.own.driver, "None"), "gpuProfile.driver", nobody, so)
        owners = found.pool.driver_owners
        if isinstance(owners, Unknown):
            yield cannot_tell(found.own.urn, owners, subject=found.own.name, so=so)
        elif owners is not None and Owner.GPU_OPERATOR in owners:
            text = f"{why}, and the GPU Operator would install the data-centre driver: crash loops, and nodes that hang when they restart. "
            yield found.violated("gpuProfile.driver", text + "Set driver.enabled=false in its values, and pin the node image.")


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
                    f"operator.runtimeClass is {given or 'nvidia, the default'}: no runtime is configured for the operator's pods. Set it."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="values.operator.runtimeClass", message=text)


# --- GPU-AKS-12


def _unserved(case: Case) -> Iterator[Verdict]:
    for found in _nvidia(case):
        if not (known(found.own.driver) and (found.own.driver or "").casefold() == "none"):
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


# --- GPU-AKS-14


def _spot_taint(case: Case) -> Iterator[Verdict]:
    """E6: AKS taints spot nodes, and nothing may take the taint away."""
    for found in _nvidia(case):
        for chart in operators(case, GPU_OPERATOR, found.pool.cluster):
            if found.spot is False:
                continue
            claim = found.spot if isinstance(found.spot, Unknown) else tolerates(chart, "daemonsets.tolerations", SPOT_KEY)
            if isinstance(claim, Unknown):
                yield cannot_tell(chart.urn, claim, subject=chart.name, so=f"it cannot be told whether its pods run on {found.own.name}")
            elif found.spot is True and not claim:
                text = (
                    f"{chart.name}: AKS taints the nodes of the spot pool {found.own.name} with {SPOT_TAINT}, and the operator's daemonsets do not "
                    f"tolerate it: no nvidia.com/gpu there. Add a toleration for {SPOT_KEY} to daemonsets.tolerations, beside the chart's own."
                )
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="values.daemonsets.tolerations", message=text)


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
    Rule(
        id="GPU-AKS-14",
        title="The GPU Operator tolerates the taint of spot nodes",
        failures=("E6",),
        scope=Scope.STACK,
        check=_spot_taint,
        fix="daemonsets.tolerations with key kubernetes.azure.com/scalesetpriority, operator Exists",
    ),
)
