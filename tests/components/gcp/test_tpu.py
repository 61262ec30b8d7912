from __future__ import annotations

import pytest

from components import catalog
from components.gcp.tpu import NoSuchSlice, TpuSlice, tpu_slice
from components.spec import Pool


def made(machine: str, topology: str | None) -> TpuSlice | None:
    return tpu_slice(Pool.model_validate({"name": "a", "machine": machine, "topology": topology}), catalog.machine("gcp", machine))


@pytest.mark.parametrize(
    ("machine", "topology", "hosts"),
    [
        ("ct6e-standard-4t", "4x4", 4),
        ("ct6e-standard-4t", "4x8", 8),
        ("ct5lp-hightpu-4t", "16x16", 64),
        ("ct5p-hightpu-4t", "2x2x2", 2),
        ("ct6e-standard-8t", "2x4", 1),
        ("ct5lp-hightpu-1t", "1x1", 1),
    ],
)
def test_a_slice_has_as_many_hosts_as_its_chips_take(machine: str, topology: str, hosts: int) -> None:
    slice_ = made(machine, topology)
    assert slice_ is not None
    assert (slice_.hosts, slice_.several_hosts) == (hosts, hosts > 1)


def test_without_a_topology_each_host_is_a_slice() -> None:
    assert made("ct6e-standard-8t", None) == TpuSlice(topology="2x4", chips_per_host=8)


@pytest.mark.parametrize(
    ("machine", "topology", "why"),
    [
        ("ct6e-standard-8t", "2x2", "comes with 8"),
        ("ct6e-standard-4t", "3x3", "give a multiple"),
        ("ct5p-hightpu-4t", "4x4", "have 3 sides"),
        ("ct6e-standard-4t", "2x2x2", "have 2 sides"),
    ],
)
def test_a_topology_that_does_not_fit_the_machine_is_refused(machine: str, topology: str, why: str) -> None:
    with pytest.raises(NoSuchSlice, match=why):
        made(machine, topology)


def test_a_gpu_machine_makes_no_slice() -> None:
    assert made("g2-standard-4", None) is None
