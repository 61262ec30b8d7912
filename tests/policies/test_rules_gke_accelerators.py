"""GPU-GKE-30 to 33: driver version, accelerator and machine, partitions, boot disks."""

from __future__ import annotations

import pytest

from components import catalog
from policies import Level, Status
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, a3_mega, accelerator, cluster, inference, judged, rdma
from tests.policies.raw import Raw

LIST = ("nodeConfig", "guestAccelerators")


def attached(machine: str, kind: str, count: int) -> Raw:
    """GPUs attached to a machine that carries none."""
    node = {"machineType": machine, "guestAccelerators": [accelerator(kind, count)]}
    return cluster().add(gcp.NODE_POOL, "t4", cluster="@gke", nodeLocations=[ZONE], autoscaling={"totalMaxNodeCount": 2}, nodeConfig=node)


@pytest.mark.parametrize("program", [a3_mega(), rdma(), inference(), attached("n1-standard-8", "nvidia-tesla-t4", 2)])
@pytest.mark.parametrize("rule", [f"GPU-GKE-{n}" for n in range(30, 34)])
def test_good_pools_are_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("D10")
def test_a_driver_version_left_out_is_refused() -> None:
    (finding,) = judged(inference().set("l4", accelerator("nvidia-l4", 1, driver=None), *LIST, 0), "GPU-GKE-30")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "nodeConfig.guestAccelerators")
    assert finding.message == (
        "l4: no driver version is given for nvidia-l4. GKE fills in DEFAULT by itself, and the next update replaces the pool for the difference, "
        "with all its nodes. Write gpuDriverInstallationConfig.gpuDriverVersion out: LATEST, DEFAULT or INSTALLATION_DISABLED."
    )


@pytest.mark.failure("D10")
@pytest.mark.parametrize("word", ["LATEST", "DEFAULT", "INSTALLATION_DISABLED"])
def test_every_version_that_is_written_out_repairs_it(word: str) -> None:
    assert judged(inference().set("l4", accelerator("nvidia-l4", 1, word), *LIST, 0), "GPU-GKE-30") == []


@pytest.mark.failure("D10")
def test_a_gpu_machine_without_accelerators_gives_no_version_either() -> None:
    (finding,) = judged(inference().set("l4", None, *LIST), "GPU-GKE-30")
    assert finding.message.startswith("l4: g2-standard-8 without guestAccelerators")


@pytest.mark.parametrize("path", [LIST, (*LIST, 0, "gpuDriverInstallationConfig"), (*LIST, 0)])
def test_a_version_that_cannot_be_told_is_unknown(path: tuple[str | int, ...]) -> None:
    (finding,) = judged(inference().hide("l4", *path), "GPU-GKE-30")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_tpus_have_no_driver_version() -> None:
    program = inference().set("l4", "ct6e-standard-4t", "nodeConfig", "machineType").set("l4", None, *LIST)
    assert judged(program, "GPU-GKE-30") == []


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (inference().set("l4", "nvidia-tesla-t4", *LIST, 0, "type"), "which carries 1 x nvidia-l4"),
        (inference().set("l4", 2, *LIST, 0, "count"), "2 x nvidia-l4 on g2-standard-8, which carries 1"),
        (a3_mega().set("h100", "nvidia-h100-80gb", *LIST, 0, "type"), "which carries 8 x nvidia-h100-mega-80gb"),
        (attached("e2-standard-4", "nvidia-tesla-t4", 1), "to which they cannot be attached"),
        (attached("n1-standard-8", "nvidia-tesla-t4", 3), "to which they cannot be attached"),
        (attached("n1-standard-96", "nvidia-tesla-t4", 1), "to which they cannot be attached"),
    ],
)
def test_accelerators_that_are_not_the_machines_are_refused(program: Raw, said: str) -> None:
    (finding,) = judged(program, "GPU-GKE-31")
    assert finding.fails
    assert said in finding.message


@pytest.mark.parametrize("key", ["type", "count"])
def test_an_accelerator_that_cannot_be_told_is_advice(key: str) -> None:
    (finding,) = judged(inference().hide("l4", *LIST, 0, key), "GPU-GKE-31")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_fraction_of_a_gpu_counts_as_one() -> None:
    machine = catalog.machine("gcp", "g4-standard-6")
    program = inference().set("l4", machine.name, "nodeConfig", "machineType")
    assert machine.gpu_count < 1
    assert judged(program.set("l4", "nvidia-rtx-pro-6000", *LIST, 0, "type"), "GPU-GKE-31") == []


def test_partitions_of_a_gpu_without_mig_are_refused() -> None:
    (finding,) = judged(inference().set("l4", "1g.5gb", *LIST, 0, "gpuPartitionSize"), "GPU-GKE-32")
    assert "the GPUs of g2-standard-8 have no MIG" in finding.message


@pytest.mark.parametrize(("kind", "fails"), [("pd-ssd", [True]), ("hyperdisk-throughput", []), (None, [])])
def test_a_machine_of_hyperdisks_boots_from_nothing_else(kind: str | None, fails: list[bool]) -> None:
    assert [f.fails for f in judged(rdma().set("h200", kind, "nodeConfig", "diskType"), "GPU-GKE-33")] == fails


def test_an_unknown_boot_disk_is_advice() -> None:
    (finding,) = judged(rdma().hide("h200", "nodeConfig", "diskType"), "GPU-GKE-33")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_machine_that_may_have_no_gpus_is_unknown() -> None:
    program = inference().set("l4", "q2-custom-4-8192", "nodeConfig", "machineType").set("l4", None, *LIST)
    (finding,) = judged(program, "GPU-GKE-30")
    assert finding.status is Status.UNKNOWN


def test_tpu_machines_take_no_gpus() -> None:
    program = attached("ct6e-standard-4t", "nvidia-tesla-t4", 1)
    assert ["to which they cannot be attached" in f.message for f in judged(program, "GPU-GKE-31")] == [True]


def test_gpus_of_two_types_in_one_pool_are_refused() -> None:
    program = attached("n1-standard-8", "nvidia-tesla-t4", 1)
    program.written["t4"].inputs["nodeConfig"]["guestAccelerators"].append(accelerator("nvidia-tesla-p4", 1))
    assert ["GPUs of one type" in f.message for f in judged(program, "GPU-GKE-31") if f.fails] == [True]


@pytest.mark.parametrize(("machine", "said"), [("c2-standard-8", ["on C2, to which"]), ("n1-custom-8-30720", [])])
def test_a_machine_without_a_row_takes_gpus_where_its_family_does(machine: str, said: list[str]) -> None:
    found = judged(attached(machine, "nvidia-tesla-t4", 1), "GPU-GKE-31")
    assert all(words in f.message for words, f in zip(said, found, strict=True))
