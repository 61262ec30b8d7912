"""A preview and an exported state give the facts that a recording of the same program gives."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from components.resource import Resource, ResourceSet, Secret
from components.unknown import Unknown
from policies.readers import inventory
from scripts.check import preview_json, state
from scripts.errors import BadInput
from scripts.plan.recorder import record

from .conftest import FIXTURES


@pytest.fixture(scope="module")
def recorded() -> ResourceSet:
    shop = FIXTURES / "shop"
    found = record(
        shop / "__main__.py", project="shop", stack="dev", config={"aws:region": "eu-west-1", "shop:size": "m7i.large"}, directory=shop
    )
    assert found.error is None
    return found.resources


def preview() -> ResourceSet:
    return preview_json.read(FIXTURES / "preview.json")


def exported() -> ResourceSet:
    return state.read(FIXTURES / "state.json")[0]


def same_where_known(ours: Any, theirs: Any) -> bool:
    """Whether the engine's value holds everything that the recording knows; providers add names and defaults."""
    if isinstance(ours, Unknown):
        return True
    if isinstance(ours, Mapping):
        return isinstance(theirs, Mapping) and all(k in theirs and same_where_known(v, theirs[k]) for k, v in ours.items())
    if isinstance(ours, list):
        return isinstance(theirs, list) and len(ours) == len(theirs) and all(map(same_where_known, ours, theirs))
    if isinstance(ours, Secret):
        return isinstance(theirs, Secret)
    return type(ours) is type(theirs) and ours == theirs


@pytest.mark.parametrize("source", [preview, exported])
def test_resources_and_their_places_are_the_same(recorded: ResourceSet, source: Any) -> None:
    def places(resources: ResourceSet) -> dict[str, tuple[object, ...]]:
        return {r.urn: (r.type, r.name, r.custom, r.parent, r.provider, r.dependencies, r.property_dependencies) for r in resources}

    assert places(source()) == places(recorded)


@pytest.mark.parametrize("source", [preview, exported])
def test_inputs_are_the_same_where_both_know_them(recorded: ResourceSet, source: Any) -> None:
    other = source().by_urn
    assert [r.urn for r in recorded if not same_where_known(r.inputs, other[r.urn].inputs)] == []


def test_options_are_the_same_in_a_preview(recorded: ResourceSet) -> None:
    assert {r.urn: r.options for r in preview()} == {r.urn: r.options for r in recorded}


def test_a_preview_knows_no_more_ids_than_a_recording(recorded: ResourceSet) -> None:
    assert [r.urn for r in preview() if isinstance(r.id, str)] == [r.urn for r in recorded if isinstance(r.id, str)] == []
    assert all(isinstance(r.id, str) for r in exported() if r.custom)


def test_a_preview_gives_the_stacks_settings(recorded: ResourceSet) -> None:
    assert preview().config == recorded.config


@pytest.mark.parametrize("source", [preview, exported])
def test_the_pools_are_read_alike(recorded: ResourceSet, source: Any) -> None:
    def pools(resources: ResourceSet) -> list[tuple[object, ...]]:
        return [(p.urn, p.machines, p.market, p.nodes.minimum, p.nodes.maximum, p.region) for p in inventory(resources).pools]

    assert len(pools(recorded)) == 1
    assert pools(source()) == pools(recorded)


def test_secrets_are_marked_in_every_source(recorded: ResourceSet) -> None:
    def template(resources: ResourceSet) -> Resource:
        return next(r for r in resources if r.type == "aws:ec2/launchTemplate:LaunchTemplate")

    assert all(isinstance(template(s).inputs["userData"], Secret) for s in (recorded, preview(), exported()))


def test_what_an_update_removes_is_left_out(tmp_path: Path) -> None:
    document = json.loads((FIXTURES / "preview.json").read_text(encoding="utf-8"))
    for step in document["steps"]:
        if step["urn"].endswith("NodeGroup::gpu"):
            step["op"], step["oldState"] = "delete", step.pop("newState")
    file = tmp_path / "preview.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert len(preview_json.read(file).resources) == len(preview().resources) - 1


def deployed(tmp_path: Path, ops: Mapping[str, str], summary: Mapping[str, int]) -> Path:
    """The preview of a stack that exists: `ops` by resource name, all others unchanged; the engine has ids in the old state alone."""
    document = json.loads((FIXTURES / "preview.json").read_text(encoding="utf-8"))
    there = {r["urn"]: r for r in json.loads((FIXTURES / "state.json").read_text(encoding="utf-8"))["deployment"]["resources"]}
    for step in document["steps"]:
        step["op"], step["oldState"] = ops.get(step["urn"].rpartition("::")[2], "same"), there[step["urn"]]
    document["changeSummary"] = dict(summary)
    file = tmp_path / "preview.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def test_what_stays_keeps_its_id_in_a_preview_and_what_is_replaced_loses_it(tmp_path: Path) -> None:
    before = {r.name: r.id for r in exported() if r.custom}
    found = {r.name: r.id for r in preview_json.read(deployed(tmp_path, {"gpu": "replace"}, {})) if r.custom and r.name in before}
    kept = {name for name, id_ in found.items() if id_ == before[name]}
    assert kept == set(before) - {"gpu"}


def test_a_preview_that_leaves_out_what_does_not_change_is_refused(tmp_path: Path) -> None:
    whole = deployed(tmp_path, {}, {"same": len(preview().resources)})
    assert len(preview_json.read(whole).resources) == len(preview().resources)
    partial = deployed(tmp_path, {}, {"same": len(preview().resources) + 61})
    with pytest.raises(BadInput, match=r"leaves out 61 unchanged resources of \d+, .* --show-sames"):
        preview_json.read(partial)


def test_a_pending_operation_is_noted(tmp_path: Path) -> None:
    document = json.loads((FIXTURES / "state.json").read_text(encoding="utf-8"))
    document["deployment"]["pending_operations"] = [{"type": "creating", "resource": document["deployment"]["resources"][-1]}]
    file = tmp_path / "state.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    (note,) = state.read(file)[1]
    assert "pending creating" in note


@pytest.mark.parametrize("read", [preview_json.read, state.read])
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"steps": 3, "deployment": 3}', '{"steps": [{}], "deployment": {"resources": [{}]}}', "\ud800"[:0] + "nul\x00"],
)
def test_another_file_is_refused_by_name(tmp_path: Path, read: Any, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"other\.json"):
        read(file)


@pytest.mark.parametrize("read", [preview_json.read, state.read])
def test_a_missing_file_is_refused_by_name(tmp_path: Path, read: Any) -> None:
    with pytest.raises(BadInput, match=r"gone\.json cannot be read"):
        read(tmp_path / "gone.json")


STATE = {
    "urn": "urn:pulumi:dev::shop::pulumi:providers:kubernetes::in",
    "type": "pulumi:providers:kubernetes",
    "custom": True,
    "inputs": {},
}


@pytest.mark.failure("H7")
@pytest.mark.parametrize(
    ("step", "because"),
    [
        (
            {
                "op": "replace",
                "replaceReasons": ["kubeconfig"],
                "detailedDiff": {"kubeconfig": {"kind": "update-replace"}, "suppressHelmHookWarnings": {"kind": "update"}},
            },
            ("kubeconfig",),
        ),
        ({"op": "create-replacement", "replaceReasons": ["kubeconfig"], "diffReasons": ["kubeconfig", "context"]}, ("kubeconfig",)),
        ({"op": "replace"}, ()),
        ({"op": "update", "diffReasons": ["kubeconfig"]}, None),
        ({"op": "create"}, None),
    ],
)
def test_a_preview_tells_what_it_makes_anew_and_why(step: dict[str, Any], because: tuple[str, ...] | None, tmp_path: Path) -> None:
    file = tmp_path / "preview.json"
    file.write_text(json.dumps({"steps": [{**step, "urn": STATE["urn"], "oldState": STATE, "newState": STATE}]}), encoding="utf-8")
    (found,) = preview_json.read(file)
    assert found.replaced == because
