"""Every accelerator machine of the catalogue in a stack file: it is known, and planned or refused with a named reason."""

import re
from typing import Any

import pytest

from components import catalog
from components.aws.assembly import refusals
from components.aws.outline import pool_outlines
from components.catalog import Machine, fabric, tpus
from components.spec.reading import read
from tests.spec.documents import REGIONS, aws_training, azure_training, gcp_training

DOCUMENTS = {"aws": aws_training, "gcp": gcp_training, "azure": azure_training}
MACHINES = [machine for machine in catalog.machines() if machine.accelerated]
ON_AWS = [machine for machine in MACHINES if machine.cloud == "aws"]

REASONS = (
    r"no EKS image with a driver supports \S+.*: take image ubuntu, where the GPU Operator installs the driver",
    r"(AMD|AWS Neuron|Habana|Qualcomm|Xilinx) accelerators are not built on AWS yet: take a machine with NVIDIA GPUs",
)
"""Why a machine that the catalogue knows is not planned on AWS. There is no other reason."""

TOPOLOGY_OF_A_HOST_THAT_STATES_NONE = "2x2x1"


def stack(machine: Machine) -> dict[str, Any]:
    """A training stack with one on-demand pool of the machine."""
    document = {**DOCUMENTS[machine.cloud](), "name": "lab"}
    pool = {**document["pools"][0], "name": "gpu", "machine": machine.name, "capacity": {"mode": "on_demand"}}
    if machine.vendor == "Google":
        pool["topology"] = tpus.tpu(machine.name).host_topology or TOPOLOGY_OF_A_HOST_THAT_STATES_NONE
    return {**document, "pools": [pool]}


def by_name(machine: Machine) -> str:
    return machine.name


@pytest.mark.parametrize("machine", MACHINES, ids=by_name)
def test_no_accelerator_machine_is_unknown_to_a_stack_file(machine: Machine) -> None:
    spec, errors = read(stack(machine), region=REGIONS[machine.cloud])

    assert errors == ()
    assert spec is not None
    assert spec.pools[0].machine == machine.name


@pytest.mark.parametrize("machine", ON_AWS, ids=by_name)
def test_on_aws_a_machine_is_planned_with_its_layout_or_refused_with_a_named_reason(machine: Machine) -> None:
    spec, _ = read(stack(machine), region=REGIONS["aws"])
    assert spec is not None

    refused = refusals(spec, REGIONS["aws"])

    if refused:
        assert all(any(re.fullmatch(reason, error.message) for reason in REASONS) for error in refused), refused
        assert {error.path for error in refused} <= {"pools[0].machine", "pools[0].image"}
    else:
        (outline,) = pool_outlines(spec)
        assert outline.machine == machine
        assert outline.slots == fabric.layout(machine)
        assert outline.gpus_per_node == int(machine.gpu_count)


def test_every_nvidia_machine_that_an_eks_image_supports_is_planned() -> None:
    supported = {family for kind in catalog.images("aws") if kind.offered and "NVIDIA" in kind.serves for family in kind.families}
    planned = set()
    for machine in ON_AWS:
        spec, _ = read(stack(machine), region=REGIONS["aws"])
        assert spec is not None
        if not refusals(spec, REGIONS["aws"]):
            planned.add(machine.family)

    assert planned == supported


def test_a_machine_that_does_not_exist_is_unknown_and_gets_the_nearest() -> None:
    document = stack(catalog.machine("aws", "p5.48xlarge"))
    document["pools"][0]["machine"] = "p4de.24xlarg"

    _, errors = read(document, region=REGIONS["aws"])

    assert [(error.path, "p4de.24xlarge" in str(error)) for error in errors] == [("pools[0].machine", True)]
