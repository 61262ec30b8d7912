"""What a kustomization does to its objects: simple changes are repeated, any other leaves them unknown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.plan.recording.kustomization import rendered

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, namespace: old, labels: {app: serve}}
spec:
  replicas: 1
  template:
    metadata: {labels: {app: serve}}
    spec:
      containers:
      - {name: a, image: "registry.local:5000/serve:v1"}
      - {name: b, image: sidecar@sha256:1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deployment.yaml").write_text(DEPLOYMENT)
    return tmp_path


def changed(folder: Path, fields: str) -> Any:
    """The deployment as a kustomization with `fields` makes it; None where it is not repeated."""
    (folder / "kustomization.yaml").write_text(f"resources: [deployment.yaml]\n{fields}\n")
    text = rendered(".", folder)
    return None if text is None else yaml.safe_load(text)


@pytest.mark.parametrize(
    ("fields", "path", "value"),
    [
        ("namespace: team", ("metadata", "namespace"), "team"),
        ("replicas: [{name: serve, count: 5}]", ("spec", "replicas"), 5),
        ("replicas: [{name: other, count: 5}]", ("spec", "replicas"), 1),
        ("commonLabels: {team: ml}", ("spec", "template", "metadata", "labels"), {"app": "serve", "team": "ml"}),
        ("labels: [{pairs: {team: ml}}]", ("metadata", "labels"), {"app": "serve", "team": "ml"}),
        ("labels: [{pairs: {team: ml}}]", ("spec", "template", "metadata", "labels"), {"app": "serve"}),
        (
            "labels: [{pairs: {team: ml}, includeTemplates: true}]",
            ("spec", "template", "metadata", "labels"),
            {"app": "serve", "team": "ml"},
        ),
        ("commonAnnotations: {a: b}", ("metadata", "annotations"), {"a": "b"}),
        ("configMapGenerator: [{name: c, literals: [a=b]}]", ("metadata", "namespace"), "old"),
        ("patches: [{target: {kind: ConfigMap}, patch: '[]'}]", ("metadata", "namespace"), "old"),
        ("patches: [{patch: '{kind: Secret, metadata: {name: s}}'}]", ("metadata", "namespace"), "old"),
    ],
)
def test_simple_changes_are_repeated(folder: Path, fields: str, path: tuple[str, ...], value: Any) -> None:
    node = changed(folder, fields)
    for key in path:
        node = node[key]
    assert node == value


@pytest.mark.parametrize(
    ("entry", "images"),
    [
        ("{name: 'registry.local:5000/serve', newTag: v2}", ["registry.local:5000/serve:v2", "sidecar@sha256:1"]),
        ("{name: 'registry.local:5000/serve', newName: other/serve}", ["other/serve:v1", "sidecar@sha256:1"]),
        ("{name: sidecar, digest: 'sha256:2'}", ["registry.local:5000/serve:v1", "sidecar@sha256:2"]),
        ("{name: serve, newTag: v2}", ["registry.local:5000/serve:v1", "sidecar@sha256:1"]),
    ],
)
def test_images_are_replaced_by_their_whole_name(folder: Path, entry: str, images: list[str]) -> None:
    containers = changed(folder, f"images: [{entry}]")["spec"]["template"]["spec"]["containers"]
    assert [container["image"] for container in containers] == images


@pytest.mark.failure("H10")
@pytest.mark.parametrize(
    "fields",
    [
        "namePrefix: a-",
        "components: [../x]",
        "helmCharts: [{name: gpu-operator}]",
        "patches: [{target: {kind: Deployment}, patch: '[]'}]",
        "patches: [{path: patch.yaml}]",
        "images: none",
        "labels: [none]",
        "replicas: [{name: [], count: 1}]",
    ],
)
def test_other_changes_leave_the_objects_unknown(folder: Path, fields: str) -> None:
    assert changed(folder, fields) is None


def test_a_file_without_objects_is_not_changed(folder: Path) -> None:
    (folder / "deployment.yaml").write_text("- no object\n")
    assert changed(folder, "namespace: team") is None


def test_an_overlay_changes_what_its_base_has_changed(folder: Path) -> None:
    changed(folder, "namespace: base\ncommonLabels: {a: '1'}")
    overlay = folder / "overlay"
    overlay.mkdir()
    (overlay / "kustomization.yaml").write_text("resources: [../]\nnamespace: prod\n")
    metadata = yaml.safe_load(rendered("overlay", folder) or "")["metadata"]
    assert (metadata["namespace"], metadata["labels"]["a"]) == ("prod", "1")


def test_aliases_that_repeat_themselves_end(folder: Path) -> None:
    lines = ["a0: &a0 [1, 1]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40))]
    (folder / "deployment.yaml").write_text("kind: ConfigMap\n" + "\n".join(lines))
    changed_text = changed(folder, "images: [{name: x, newTag: y}]")
    assert changed_text["kind"] == "ConfigMap"
