"""What shipped stacks write to a cluster, against a real kube-apiserver that refuses every field it does not know.

Charts and the kinds that they bring are outside of it: no chart is rendered here, and their definitions come from their own registries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.unknown import Unknown
from scripts.plan import stackfile
from scripts.plan.build import recorded
from tests.real.control_plane import ControlPlane, until

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("real-api-server")]

ROOT = Path(__file__).parents[2]
CHARTS = "kubernetes:helm.sh/"
BROUGHT = {
    ("mellanox.com/v1alpha1", "NicClusterPolicy"),
    ("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule"),
    ("networking.gke.io/v1", "GKENetworkParamSet"),
    ("networking.gke.io/v1", "Network"),
}
"""Kinds that a chart or GKE brings: a plain API server has none of them."""
NAMESPACES, PODS = ("v1", "Namespace"), ("v1", "Pod")


@dataclass(frozen=True)
class Objects:
    """Of one program, with what an update would tell put in as words."""

    own: tuple[dict[str, Any], ...]

    @property
    def namespaces(self) -> list[dict[str, Any]]:
        return [each for each in self.own if _kind(each) == NAMESPACES]

    @property
    def others(self) -> list[dict[str, Any]]:
        return [each for each in self.own if _kind(each) not in {NAMESPACES, *BROUGHT}]

    @property
    def pods(self) -> Iterator[dict[str, Any]]:
        """One of each DaemonSet and Deployment, as its controller would ask for it."""
        for each in self.own:
            template = each.get("spec", {}).get("template")
            if template:
                yield {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {**template["metadata"], "name": each["metadata"]["name"], "namespace": each["metadata"]["namespace"]},
                    "spec": template["spec"],
                }


@pytest.fixture(scope="module", params=stackfile.stack_names(ROOT))
def objects(request: pytest.FixtureRequest) -> Objects:
    recording = recorded(ROOT, stackfile.read(ROOT, request.param))
    assert recording.error is None
    plain = (r for r in recording.resources if r.type.startswith("kubernetes:") and not r.type.startswith(CHARTS))
    return Objects(tuple(_told(r.inputs) for r in plain))


def test_its_objects_are_taken_field_by_field(objects: Objects, control_plane: ControlPlane) -> None:
    _stand(control_plane, objects.namespaces)
    assert _refusals(control_plane, [*objects.namespaces, *objects.others]) == []


def test_its_pods_may_stand_in_their_namespaces(objects: Objects, control_plane: ControlPlane) -> None:
    _stand(control_plane, objects.namespaces)
    assert _refusals(control_plane, objects.pods) == []


def test_a_field_that_no_server_knows_is_refused_here(control_plane: ControlPlane) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "it", "namespace": "default"}, "automountToken": False}
    [refusal] = _refusals(control_plane, [account])
    assert "automountToken" in refusal


def test_the_manifest_of_the_heartbeat_is_taken(control_plane: ControlPlane) -> None:
    text = (ROOT / "scripts" / "idle" / "heartbeat" / "manifest.yaml").read_text(encoding="utf-8")
    found = Objects(tuple(each for each in yaml.safe_load_all(text) if each))
    _stand(control_plane, found.namespaces)
    assert _refusals(control_plane, [*found.namespaces, *found.others]) == []


def _stand(plane: ControlPlane, namespaces: Iterable[Mapping[str, Any]]) -> None:
    """With the labels that this program gives, whatever stood there."""
    for each in namespaces:
        name, labels = each["metadata"]["name"], each["metadata"].get("labels")
        path = f"/api/v1/namespaces/{name}"
        if plane.get(path) is None:
            plane.namespace(name)
        plane.change(path, {"metadata": {"labels": labels}})
        until(lambda path=path: plane.get(f"{path}/serviceaccounts/default") is not None, f"the account of {name}")


def _refusals(plane: ControlPlane, objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the server says against each; it keeps none of them."""
    return [f"{_kind(each)} {each['metadata']['name']}: {said}" for each in objects if (said := plane.refusal(_path(plane, each), each))]


def _path(plane: ControlPlane, each: Mapping[str, Any]) -> str:
    """The list that `each` belongs to."""
    version, kind = _kind(each)
    base = f"/apis/{version}" if "/" in version else f"/api/{version}"
    [known] = [r for r in (plane.get(base) or {})["resources"] if r["kind"] == kind and "/" not in r["name"]]
    return f"{base}/namespaces/{each['metadata']['namespace']}/{known['name']}" if known["namespaced"] else f"{base}/{known['name']}"


def _kind(each: Mapping[str, Any]) -> tuple[str, str]:
    return each["apiVersion"], each["kind"]


def _told(value: Any) -> Any:
    if isinstance(value, Unknown):
        return "told-by-the-update"
    if isinstance(value, Mapping):
        return {key: _told(each) for key, each in value.items()}
    return [_told(each) for each in value] if isinstance(value, list | tuple) else value
