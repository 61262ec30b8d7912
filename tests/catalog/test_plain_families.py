import pytest

from components import catalog
from components.catalog import plain_families
from components.catalog.plain_families import plain_family


@pytest.mark.parametrize(
    ("cloud", "name", "family"),
    [
        ("azure", "Standard_DS3_v2", "DS"),
        ("azure", "standard_d2s_v3", "D"),
        ("azure", "Standard_B2ms", "B"),
        ("azure", "Standard_E4-2ds_v5", "E"),
        ("azure", "Standard_DC4as_cc_v5", "DC"),
        ("azure", "Standard_HB120rs_v3", "HB"),
        ("azure", "Basic_A1", "A"),
        ("gcp", "e2-medium", "e2"),
        ("gcp", "c2-standard-60", "c2"),
        ("gcp", "n2d-custom-4-8192", "n2d"),
        ("gcp", "custom-8-30720", "custom"),
        ("gcp", "f1-micro", "f1"),
    ],
)
def test_a_size_of_a_family_without_accelerators_is_told_by_its_name(cloud: str, name: str, family: str) -> None:
    assert plain_family(cloud, name) == family


@pytest.mark.parametrize(
    ("cloud", "name"),
    [
        ("azure", "Standard_NC24ads_A100_v4"),
        ("azure", "Standard_ND96isr_H100_v5"),
        ("azure", "Standard_NV36ads_A10_v5"),
        ("azure", "Standard_NP10s"),
        ("azure", "Standard_D8s_T4_v9"),
        ("azure", "Standard_Q4s_v1"),
        ("azure", "D2s_v3"),
        ("gcp", "g2-standard-4"),
        ("gcp", "a3-megagpu-8g"),
        ("gcp", "ct6e-standard-4t"),
        ("gcp", "n9-standard-4"),
        ("gcp", "e2"),
        ("aws", "m99.large"),
    ],
)
def test_what_may_carry_accelerators_belongs_to_no_such_family(cloud: str, name: str) -> None:
    assert plain_family(cloud, name) is None


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_families_agree_with_the_machines_that_have_rows(cloud: str) -> None:
    accelerated = {machine.name for machine in catalog.machines(cloud) if machine.accelerated}
    plain = {machine.name for machine in catalog.machines(cloud) if not machine.accelerated}

    assert {name for name in accelerated if plain_family(cloud, name)} == set()
    assert {name for name in plain if plain_family(cloud, name) is None} == set()


def test_the_part_is_named_by_the_catalogue() -> None:
    assert catalog.plain_families is plain_families
