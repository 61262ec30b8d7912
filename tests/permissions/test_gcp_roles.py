"""The shipped custom roles against what the code makes, calls and may not touch."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scripts.permissions.__main__ import documents
from scripts.permissions.gcp_roles import BILLING, KEPT, direct, permissions, types
from scripts.permissions.table import Role

ROOT = Path(__file__).parents[2]
SHAPE = re.compile(r"[a-z]+\.[A-Za-z]+\.[A-Za-z]+")


def shipped_types() -> set[str]:
    """GCP types of all shipped stacks."""
    return set(re.findall(r"(gcp:[a-z0-9]+/\w+:\w+)::", (ROOT / "tests" / "stacks" / "urns.json").read_text()))


def test_the_shipped_documents_are_made_from_the_tables() -> None:
    for path, text in documents():
        assert path.read_text() == text, "run python -m scripts.permissions"


def test_every_type_of_a_shipped_stack_may_be_made_read_changed_and_deleted() -> None:
    assert shipped_types() <= types().keys(), shipped_types() - types().keys()
    for token in shipped_types():
        calls = types()[token]
        assert calls.create | calls.read | calls.update <= permissions(Role.DEPLOY), token
        if token not in KEPT:
            assert calls.delete <= permissions(Role.DEPLOY) & permissions(Role.TEARDOWN), token


@pytest.mark.parametrize("role", Role)
def test_permissions_are_written_out_and_have_googles_form(role: Role) -> None:
    assert [each for each in permissions(role) if not SHAPE.fullmatch(each)] == []


@pytest.mark.parametrize("role", Role)
def test_no_role_deletes_data(role: Role) -> None:
    assert (
        permissions(role) & {"storage.buckets.delete", "storage.objects.delete", "lustre.instances.delete", "compute.disks.delete"} == set()
    )


@pytest.mark.parametrize("role", [Role.PLAN, Role.IDLE])
def test_who_only_looks_or_scales_makes_and_deletes_nothing(role: Role) -> None:
    verbs = {each.rpartition(".")[2] for each in permissions(role)}
    assert not [verb for verb in verbs if verb.startswith(("create", "delete", "set", "add", "remove", "actAs"))]
    assert permissions(Role.PLAN) == {each for each in permissions(Role.PLAN) if each.endswith((".get", ".list"))}


def test_a_project_role_holds_nothing_of_the_billing_account() -> None:
    for path, text in documents():
        if path.parent.name == "gcp":
            held = json.loads(text)["includedPermissions"]
            assert held
            assert all(each.startswith(BILLING) is path.stem.endswith("-billing") for each in held)


def test_what_the_engines_lookups_list_is_in_the_table() -> None:
    source = (ROOT / "scripts" / "engine" / "gcp_lookup.py").read_text()
    listed = {
        "clusters": "container.clusters.list",
        "instances": "compute.instances.list",
        "disks": "compute.disks.list",
        "addresses": "compute.addresses.list",
    }
    wanted = {permission for word, permission in listed.items() if f'"{word}"' in source or f"/{word}" in source}
    assert wanted == set(listed.values())
    assert wanted <= direct(Role.DEPLOY)
