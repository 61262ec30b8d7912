"""GPU-AKS rules of reserved capacity and zones."""

from __future__ import annotations

import pytest

from components.unknown import Unknown
from policies import Level, Status
from tests.policies.azure_raw import inference, infiniband, judged
from tests.policies.raw import Raw

THEIRS = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/theirs"


def given(kind: str | None) -> Raw:
    return infiniband().set("aks", {"type": kind} if kind else None, "identity")


@pytest.mark.failure("B2")
@pytest.mark.parametrize("kind", [None, "SystemAssigned", "None"])
def test_reserved_capacity_without_a_user_assigned_identity_is_refused(kind: str | None) -> None:
    (finding,) = judged(given(kind), "GPU-AKS-30")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "capacityReservationGroupID")
    assert f"aks has identity {kind or 'none'}" in finding.message


@pytest.mark.failure("B2")
def test_a_user_assigned_identity_with_a_role_for_which_the_pool_waits_repairs_it() -> None:
    assert judged(infiniband(), "GPU-AKS-30") == []


@pytest.mark.failure("B2")
def test_a_pool_that_does_not_wait_for_the_role_is_told() -> None:
    program = infiniband()
    program.written["h100"].depends.clear()
    (finding,) = judged(program, "GPU-AKS-30")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)
    assert "the pool does not wait for contributor" in finding.message


def test_a_role_or_cluster_that_another_program_makes_is_unchecked() -> None:
    for program in (infiniband().without("contributor"), infiniband().set("h100", "their-cluster", "resourceName")):
        program.written["h100"].depends.clear()
        (finding,) = judged(program, "GPU-AKS-30")
        assert finding.status is Status.UNCHECKED


def test_an_identity_that_is_hidden_is_no_pass() -> None:
    (finding,) = judged(infiniband().hide("aks", "identity"), "GPU-AKS-30")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


@pytest.mark.failure("B2")
def test_a_group_without_machines_of_the_size_is_refused() -> None:
    program = infiniband().set("reserved", "Standard_ND96isr_H200_v5", "sku", "name")
    (finding,) = judged(program, "GPU-AKS-31")
    assert finding.message.startswith("h100: crg holds no reservation of Standard_ND96isr_H100_v5: AKS makes the pool with a warning")
    assert [f.status for f in judged(infiniband().without("reserved"), "GPU-AKS-31")] == [Status.VIOLATED]


@pytest.mark.failure("B2")
@pytest.mark.failure("B14")
def test_machines_of_the_size_in_the_group_repair_it() -> None:
    assert judged(infiniband(), "GPU-AKS-31") == []


@pytest.mark.failure("B14")
def test_a_reservation_that_an_upgrade_outgrows_is_told() -> None:
    (finding,) = judged(infiniband().set("reserved", 4, "sku", "capacity"), "GPU-AKS-31")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)
    assert "up to 5 nodes with an upgrade's extra ones, and 4 are reserved" in finding.message


def test_a_group_that_exists_already_says_nothing_of_what_it_holds() -> None:
    assert judged(infiniband().set("h100", THEIRS, "capacityReservationGroupID"), "GPU-AKS-31") == []


@pytest.mark.parametrize("key", ["name", "capacity"])
def test_a_reservation_that_is_hidden_is_unknown(key: str) -> None:
    (finding,) = judged(infiniband().set("reserved", Unknown(key), "sku", key), "GPU-AKS-31")
    assert finding.status is Status.UNKNOWN


def test_spot_pools_do_not_come_from_reserved_capacity() -> None:
    (finding,) = judged(infiniband().set("h100", "Spot", "scaleSetPriority"), "GPU-AKS-32")
    assert finding.level is Level.ADVISORY
    assert judged(infiniband(), "GPU-AKS-32") == []


@pytest.mark.failure("E7")
def test_zones_of_a_gpu_pool_are_unchecked_and_said_to_be_so() -> None:
    (finding,) = judged(inference().set("a10", ["1", "2"], "availabilityZones"), "GPU-AKS-33")
    assert (finding.status, finding.path) == (Status.UNCHECKED, "availabilityZones")
    assert "zones 1, 2" in finding.message


@pytest.mark.failure("E7")
def test_no_zones_leave_nothing_to_check() -> None:
    assert judged(inference(), "GPU-AKS-33") == []


def test_zones_that_are_hidden_are_unknown() -> None:
    (finding,) = judged(inference().hide("a10", "availabilityZones"), "GPU-AKS-33")
    assert finding.status is Status.UNKNOWN


def test_a_cluster_that_is_hidden_is_no_pass() -> None:
    (finding,) = judged(infiniband().hide("h100", "resourceName"), "GPU-AKS-30")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_group_that_is_hidden_is_no_pass() -> None:
    (finding,) = judged(infiniband().hide("h100", "capacityReservationGroupID"), "GPU-AKS-31")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_role_whose_holder_is_hidden_counts_for_nobody() -> None:
    (finding,) = judged(infiniband().hide("contributor", "principalId"), "GPU-AKS-30")
    assert finding.status is Status.UNCHECKED
