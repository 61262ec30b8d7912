"""Local files that a program names are judged by what stands in them; nothing outside of its folder is opened, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi_kubernetes import helm, kustomize, yaml

from components.resource import Resource, ResourceSet
from policies import Limits, Settings, evaluate
from policies.readers import inventory
from scripts.plan.named_files import named_files
from scripts.plan.recorder import record
from tests.policies.raw import NOW

POD = """
apiVersion: v1
kind: Pod
metadata: {name: train}
spec: {containers: [{name: t, image: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}
"""
SETTINGS = Settings(now=NOW, limits=Limits())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program's own folder, with manifests, and one beside it that is none of its business."""
    home = tmp_path / "program"
    (home / "base").mkdir(parents=True)
    (home / "pod.yaml").write_text(POD)
    (home / "base" / "kustomization.yaml").write_text("resources: [../pod.yaml]\n")
    (home / "values.yaml").write_text("driver: {enabled: false}\n")
    (tmp_path / "elsewhere.yaml").write_text(POD)
    monkeypatch.chdir(home)
    return home


def recorded(folder: Path, program: Callable[[], Any]) -> ResourceSet:
    found = record(program, project="lab", stack="dev", config={}, directory=folder)
    assert found.error is None
    return found.resources


NAMED: dict[str, Callable[[], Any]] = {
    "v1 file": lambda: yaml.ConfigFile("a", file="pod.yaml"),
    "v1 group": lambda: yaml.ConfigGroup("a", files=["pod*.yaml"]),
    "v1 folder": lambda: kustomize.Directory("a", directory="base"),
    "v2 file": lambda: yaml.v2.ConfigFile("a", file="pod.yaml"),
    "v2 group": lambda: yaml.v2.ConfigGroup("a", files=["pod*.yaml"]),
    "v2 folder": lambda: kustomize.v2.Directory("a", directory="base"),
}


@pytest.mark.parametrize("form", NAMED)
def test_objects_of_local_files_are_judged_in_every_form(folder: Path, form: str) -> None:
    resources = recorded(folder, NAMED[form])
    assert inventory(resources).lost == ()
    assert "GPU-JOB-01" in {f.rule for f in evaluate(resources, SETTINGS)}


UNOPENED: dict[str, Callable[[], Any]] = {
    "an address": lambda: yaml.v2.ConfigFile("a", file="https://example.com/pod.yaml"),
    "another folder": lambda: yaml.v2.ConfigFile("a", file="../elsewhere.yaml"),
    "a pattern over other folders": lambda: yaml.v2.ConfigGroup("a", files=["../*.yaml"]),
    "an absolute pattern": lambda: yaml.v2.ConfigGroup("a", files=["/*/pod.yaml"]),
    "nothing": lambda: yaml.v2.ConfigFile("a", file="gone.yaml"),
    "a pattern of nothing": lambda: yaml.v2.ConfigGroup("a", files=["gone*.yaml"]),
    "a folder without kustomization": lambda: kustomize.v2.Directory("a", directory="."),
    "an old folder without kustomization": lambda: kustomize.Directory("a", directory="."),
}


@pytest.mark.parametrize("form", UNOPENED)
def test_what_cannot_be_opened_is_unknown(folder: Path, form: str) -> None:
    (lost,) = inventory(recorded(folder, UNOPENED[form])).lost
    assert "not seen here" in lost.reason


def test_a_file_that_is_not_opened_is_named_by_its_property(folder: Path) -> None:
    resources = recorded(folder, lambda: yaml.v2.ConfigGroup("a", files=["pod.yaml", "gone.yaml"]))
    (lost,) = inventory(resources).lost
    assert "files[1] is not opened" in lost.reason
    assert len(inventory(resources).manifests) == 1


@pytest.mark.parametrize(
    "listing", ["resources: [../pod.yaml]\nnamePrefix: a-\n", "resources: [https://example.com/base]\n", "resources: [../base]\n", "[]"]
)
def test_a_kustomization_that_does_more_than_list_files_is_unknown(folder: Path, listing: str) -> None:
    (folder / "base" / "kustomization.yaml").write_text(listing)
    assert [lost.urn for lost in inventory(recorded(folder, NAMED["v2 folder"])).lost] != []


@pytest.mark.parametrize("kind", [helm.v3.Release, helm.v4.Chart])
def test_value_files_count_like_values(folder: Path, kind: Any) -> None:
    resources = recorded(
        folder, lambda: kind("gpu-operator", chart="gpu-operator", value_yaml_files=[pulumi.FileAsset("values.yaml")], values={"a": 1})
    )
    (chart,) = inventory(resources).charts
    assert chart.values == {"driver": {"enabled": False}, "a": 1}


def test_a_value_file_that_is_not_there_leaves_values_unknown(folder: Path) -> None:
    resources = recorded(folder, lambda: helm.v3.Release("o", chart="gpu-operator", value_yaml_files=[pulumi.FileAsset("gone.yaml")]))
    assert "valueYamlFiles[0]" in str(inventory(resources).charts[0].values)


@pytest.mark.parametrize("written", [None, 7, "", "\0", "a" * 5000, ["pod.yaml", 1], {"path": "pod.yaml"}])
def test_any_name_of_a_file_is_opened_or_left(folder: Path, written: Any) -> None:
    type_ = "kubernetes:yaml/v2:ConfigFile"
    resource = Resource(urn=f"urn:pulumi:dev::lab::{type_}::a", type=type_, name="a", inputs={"file": written})
    found = named_files(ResourceSet(project="lab", stack="dev", resources=(resource,)), folder)
    assert set(found) <= {"pod.yaml"}
