"""Every Helm value that any component sets exists in the pinned chart: Helm drops unknown keys without a word."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from components import catalog
from components.resource import Resource
from tests.components.aws.specs import built, inference, training
from tests.components.azure import specs as azure

RELEASE = "kubernetes:helm.sh/v3:Release"
POOLS: list[dict[str, Any]] = [
    {"machine": "p4d.24xlarge"},
    {"machine": "p5.48xlarge"},
    {"machine": "g5.2xlarge"},
    {"image": "bottlerocket"},
    {"fabric": "none"},
]

AZURE_STORAGE = {"storage": {"shared_filesystem": {"tib": 16}}}


def releases() -> Iterator[tuple[str, Resource]]:
    for pool in POOLS:
        yield from ((f"training {pool}", release) for release in built(training({"pools": pool})).of_type(RELEASE))
    yield from (("inference", release) for release in built(inference()).of_type(RELEASE))
    for made in (azure.training(AZURE_STORAGE), azure.inference()):
        yield from ((f"azure {made.workload}", release) for release in azure.built(made).of_type(RELEASE))


def paths(node: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every leaf, dotted; lists and empty maps are leaves."""
    for key, value in node.items():
        if isinstance(value, Mapping) and value:
            yield from paths(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


@pytest.fixture(scope="module")
def made() -> list[tuple[str, Resource]]:
    return list(releases())


def test_components_install_charts(made: list[tuple[str, Resource]]) -> None:
    assert {release.inputs["name"] for _, release in made} >= {"gpu-operator", "network-operator", "aws-efa-k8s-device-plugin"}


def test_every_release_is_a_chart_of_the_catalogue_at_its_pinned_version(made: list[tuple[str, Resource]]) -> None:
    for case, release in made:
        pinned = catalog.chart(release.inputs["chart"].rpartition("/")[2])
        assert release.inputs["version"] == pinned.version, case


def test_every_value_that_is_set_exists_in_the_pinned_chart(made: list[tuple[str, Resource]]) -> None:
    """A chart whose value paths the catalogue does not hold fails by name: add chart_values/<chart>.json."""
    unknown = {
        (name, path)
        for _, release in made
        for name in [release.inputs["chart"].rpartition("/")[2]]
        for path in paths(release.inputs["values"])
        if not catalog.has_value(name, path)
    }

    assert unknown == set()


def test_a_misspelt_value_would_be_found() -> None:
    assert list(paths({"driver": {"enabled": False, "upgradePolicy": {"autoUpgrades": True}}, "tolerations": []})) == [
        "driver.enabled",
        "driver.upgradePolicy.autoUpgrades",
        "tolerations",
    ]
    assert not catalog.has_value("gpu-operator", "driver.upgradePolicy.autoUpgrades")
