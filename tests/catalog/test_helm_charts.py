import pytest

from components import catalog
from components.catalog import helm_charts


def test_a_pinned_chart_names_version_and_repository() -> None:
    operator = catalog.chart("gpu-operator")

    assert operator.version == "v26.7.0"
    assert operator.repository == "https://helm.ngc.nvidia.com/nvidia"
    assert operator.oci is None


def test_a_chart_from_a_registry_has_no_repository() -> None:
    kueue = catalog.chart("kueue")

    assert kueue.repository is None
    assert kueue.oci == "oci://registry.k8s.io/kueue/charts/kueue"
    assert kueue.newer


def test_an_unknown_chart_names_the_nearest() -> None:
    with pytest.raises(catalog.UnknownName, match="unknown chart 'gpu-operater'; nearest: gpu-operator"):
        catalog.chart("gpu-operater")


@pytest.mark.parametrize(
    ("path", "default"),
    [
        ("driver.enabled", True),
        ("toolkit.enabled", True),
        ("devicePlugin.enabled", True),
        ("gds.enabled", False),
        ("driver.kernelModuleType", "auto"),
        ("toolkit.env", []),
    ],
)
def test_a_value_has_the_default_of_the_pinned_chart(path: str, default: object) -> None:
    assert catalog.chart_defaults("gpu-operator", path) == default


@pytest.mark.parametrize("dead", ["driver.useOpenKernelModules", "driver.maxParallelUpgrades", "cdi.default"])
def test_a_value_that_the_chart_no_longer_reads_is_unknown(dead: str) -> None:
    assert not catalog.has_value("gpu-operator", dead)
    with pytest.raises(catalog.UnknownName, match="unknown value of chart gpu-operator"):
        catalog.chart_defaults("gpu-operator", dead)


def test_a_known_value_whose_default_is_not_held_says_so() -> None:
    with pytest.raises(catalog.UnrecordedDefault, match=r"has the value gfd\.enabled, but its default is not recorded"):
        catalog.chart_defaults("gpu-operator", "gfd.enabled")


def test_anything_under_a_free_form_map_exists() -> None:
    assert catalog.has_value("aws-efa-k8s-device-plugin", "nodeSelector.pool")
    assert catalog.has_value("aws-efa-k8s-device-plugin", "image")


def test_a_chart_whose_values_are_not_held_is_said_to_be_so() -> None:
    with pytest.raises(catalog.UnknownName, match="unknown chart with value paths 'keda'"):
        catalog.has_value("keda", "replicas")


@pytest.mark.parametrize("name", ["gpu-operator", "aws-efa-k8s-device-plugin"])
def test_every_recorded_default_belongs_to_a_leaf_of_its_recorded_type(name: str) -> None:
    types = {bool: "bool", int: "int", str: "str", list: "list", dict: "map", float: "float"}
    held = helm_charts._values(name)

    for path, default in held["defaults"].items():
        assert held["values"][path] == types[type(default)], path
