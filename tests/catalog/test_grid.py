from components import catalog
from components.catalog import grid
from components.catalog.tables import rows


def test_shares_of_an_a10_take_the_grid_driver_that_aks_installs() -> None:
    found = grid.grid_family(catalog.machine("azure", "Standard_NV36ads_A10_v5"))
    assert found is not None
    assert found.cloud_installs is True


def test_whole_gpus_take_the_data_centre_driver() -> None:
    assert grid.grid_family(catalog.machine("azure", "Standard_NC24ads_A100_v4")) is None
    assert grid.grid_family(catalog.machine("aws", "g5.2xlarge")) is None


def test_every_family_has_machines() -> None:
    families = {(machine.cloud, machine.family) for machine in catalog.machines()}
    assert {(row["cloud"], row["family"]) for row in rows("grid_families")} <= families


def test_every_machine_that_is_a_share_of_a_gpu_on_azure_is_a_grid_machine() -> None:
    shares = [machine for machine in catalog.machines("azure") if 0 < machine.gpu_count < 1]
    assert shares
    assert all(grid.grid_family(machine) for machine in shares)
