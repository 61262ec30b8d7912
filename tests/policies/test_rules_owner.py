"""GPU-TAG-02: whose a GPU cluster is and when it ends, on every cloud, wherever the program writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from policies import Status, evaluate
from tests.policies import azure_raw, gcp_raw, raw
from tests.policies.gcp_raw import judged
from tests.policies.raw import Raw

RULE = "GPU-TAG-02"
OWNED: dict[str, Any] = {"owner": "research", "expires": "2027-03-01"}
Made = Callable[[], Raw]
CLOUDS: list[tuple[Made, str, str]] = [
    (raw.training, "eks", "tags"),
    (gcp_raw.a3_mega, "gke", "resourceLabels"),
    (azure_raw.infiniband, "aks", "tags"),
]


def status(program: Raw) -> list[Status]:
    return [f.status for f in judged(program, RULE)]


@pytest.mark.failure("J5")
@pytest.mark.parametrize(("made", "name", "prop"), CLOUDS)
def test_a_cluster_without_owner_and_end_is_named_at_its_tags(made: Made, name: str, prop: str) -> None:
    [finding] = judged(made().set(name, None, prop), RULE)
    assert (finding.status, finding.path) == (Status.VIOLATED, prop)
    assert "owner and end of its lease" in finding.message


@pytest.mark.failure("J5")
@pytest.mark.parametrize(("made", "name", "prop"), CLOUDS)
@pytest.mark.parametrize(
    "tags",
    [
        OWNED,
        {"cost-center/team": "a", "lease_expiry": "b"},
        {"OwnerEmail": "a", "ExpiresOn": "b"},
        {"gpukit:owner": "a", "delete-until": "b"},
    ],
)
def test_owner_and_end_count_as_people_spell_them(made: Made, name: str, prop: str, tags: dict[str, str]) -> None:
    assert status(made().set(name, tags, prop)) == []


@pytest.mark.parametrize(("made", "name", "prop"), CLOUDS)
def test_half_of_it_names_the_other_half(made: Made, name: str, prop: str) -> None:
    [finding] = judged(made().set(name, {"owner": "research", "tenderer": "x"}, prop), RULE)
    assert "without end of its lease." in finding.message


@pytest.mark.parametrize(("made", "name", "prop"), CLOUDS)
def test_tags_that_are_hidden_are_no_pass(made: Made, name: str, prop: str) -> None:
    assert status(made().set(name, {}, prop).hide(name, prop)) == [Status.UNKNOWN]


EVERYWHERE: list[tuple[Made, str, str, str, str, Any]] = [
    (raw.training, "eks", "tags", "pulumi:providers:aws", "defaultTags", {"tags": OWNED}),
    (gcp_raw.a3_mega, "gke", "resourceLabels", "pulumi:providers:gcp", "defaultLabels", OWNED),
]


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("as_text", [True, False])
def test_tags_that_a_provider_gives_everything_count(where: tuple[Made, str, str, str, str, Any], as_text: bool) -> None:
    made, name, prop, provider, everywhere, value = where
    program = made().set(name, None, prop)
    program.add(provider, "tagging", **{everywhere: json.dumps(value) if as_text else value})
    assert status(program) == [Status.VIOLATED]
    program.written[name].provider = "tagging"
    assert status(program) == []
    assert status(program.hide("tagging", everywhere)) == [Status.UNKNOWN]
    built = program.built()
    elsewhere = replace(built, resources=tuple(r for r in built if r.name != "tagging"))
    assert [f.status for f in raw.said(evaluate(elsewhere, raw.SETTINGS), RULE)] == [Status.UNKNOWN]


@pytest.mark.parametrize("where", EVERYWHERE)
def test_tags_of_the_stack_s_settings_count_for_the_engine_s_own_provider(where: tuple[Made, str, str, str, str, Any]) -> None:
    made, name, prop, provider, everywhere, value = where
    program = made().set(name, None, prop)
    key = f"{provider.rpartition(':')[2]}:{everywhere}"
    program.config[key] = json.dumps(value)
    assert status(program) == []
    program.config[key] = "{no json"
    assert status(program) == [Status.UNKNOWN]
    assert status(program.set(name, OWNED, prop)) == [], "what the cluster has itself is enough"
