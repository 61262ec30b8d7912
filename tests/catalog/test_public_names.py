"""The package's surface: every public name is there, and nothing is loaded before it is used."""

import subprocess
import sys

import pytest

from components import catalog


@pytest.mark.parametrize("name", catalog.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(catalog, name) is not None


def test_the_table_of_homes_covers_the_public_names() -> None:
    assert {*catalog._HOMES, *catalog._MODULES, "AS_OF"} == set(catalog.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'machina'"):
        catalog.__getattr__("machina")


def test_importing_the_package_loads_no_part_of_it() -> None:
    script = "import sys, components.catalog; print([m for m in sys.modules if m.startswith('components.catalog.')])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_price_of_one_cloud_reads_no_file_of_another() -> None:
    script = (
        "import components.catalog as c, components.catalog.tables as t\n"
        "opened = []\n"
        "real = t.rows\n"
        "import components.catalog.prices as p\n"
        "p.rows = lambda table: opened.append(table) or real(table)\n"
        "c.price('aws', 'us-east-1', 'p4d.24xlarge')\n"
        "print(opened)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['aws_prices']"
