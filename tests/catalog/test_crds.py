import pytest

from components.catalog import UnknownName
from components.catalog.crds import crd_versions, served


def test_the_storage_version_of_a_kind_comes_first() -> None:
    versions = [crd.version for crd in served("kueue.x-k8s.io", "ClusterQueue")]

    assert versions[0] == "v1beta2"
    assert "v1beta1" in versions


def test_a_kind_that_two_components_ship_is_told_apart_by_them() -> None:
    owners = {crd.component for crd in served("kubeflow.org", "MPIJob")}

    assert owners == {"mpi-operator", "training-operator"}


def test_a_version_that_is_no_longer_served_is_left_out() -> None:
    gone = {(crd.component, crd.group, crd.kind, crd.version) for crd in crd_versions() if not crd.served}

    assert gone
    assert all((crd.component, group, kind, crd.version) not in gone for _, group, kind, _ in gone for crd in served(group, kind))


def test_every_kind_of_a_component_has_one_storage_version() -> None:
    kinds = {(crd.component, crd.group, crd.kind) for crd in crd_versions()}
    stored = [(crd.component, crd.group, crd.kind) for crd in crd_versions() if crd.storage]

    assert sorted(stored) == sorted(kinds)


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"nearest: kueue\.x-k8s\.io/ClusterQueue"):
        served("kueue.x-k8s.io", "ClusterQueues")
