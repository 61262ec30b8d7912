"""What Resource Manager does for every type."""

from __future__ import annotations

import pytest

from scripts.arm_paths import TYPES, group_of, is_under, parse
from scripts.sandbox import kinds
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, parent_path
from scripts.sandbox.refusal import Refusal
from tests.sandbox.azure import SUBSCRIPTION, Azure


def test_an_id_is_the_objects_path(azure: Azure):
    azure.group()
    assert azure.vnet().id == f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg/providers/Microsoft.Network/virtualNetworks/net"


def test_a_path_finds_its_object_in_any_case(azure: Azure):
    azure.group()
    vnet = azure.vnet()
    assert find(azure.world, vnet.id.upper()) == vnet
    assert find(azure.world, f"{vnet.id}x") is None


@pytest.mark.parametrize("token", sorted(TYPES))
def test_every_path_is_read_back_as_its_own_type(token: str):
    kind = TYPES[token]
    given = {name: f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g" if name in ("scope", "resourceUri") else "x" for name in kind.inputs}
    named = parse(kind.path(SUBSCRIPTION, given))
    assert named is not None
    assert named[0] is kind


def test_nothing_is_made_without_its_group(azure: Azure):
    with pytest.raises(Refusal, match=r"ResourceGroupNotFound: Resource group 'lab-rg' could not be found"):
        azure.vnet()


def test_a_part_needs_what_it_is_part_of(azure: Azure):
    azure.group()
    with pytest.raises(Refusal, match="ParentResourceNotFound"):
        azure.subnet()


def test_a_second_create_of_one_path_is_refused(azure: Azure):
    azure.group()
    with pytest.raises(Refusal, match="AlreadyExists: cannot create already existing resource"):
        azure.group()


def test_the_region_is_that_of_the_group_where_none_is_given(azure: Azure):
    azure.group(location="West Europe")
    assert azure.vnet().state["location"] == "westeurope"


def test_a_group_goes_with_all_that_is_in_it(azure: Azure):
    azure.cluster()
    azure.pool()
    (group, _) = sorted(azure.all(t.RESOURCE_GROUP), key=lambda g: g.id)[::-1]
    azure.delete(group)
    assert [r.id for r in azure.world.store if r.key.startswith("azure/")] == []
    assert [r.id for r in azure.world.store if r.key.startswith("k8s/")] == []


@pytest.mark.parametrize("level", ["CanNotDelete", "ReadOnly"])
def test_a_lock_above_keeps_what_is_below(azure: Azure, level: str):
    group = azure.group()
    vnet = azure.vnet()
    lock = azure.make(t.LOCK, scope=group.id, lockName="keep", level=level)
    for kept in (vnet, group):
        with pytest.raises(Refusal, match="ScopeLocked"):
            azure.delete(kept)
    azure.delete(lock)
    azure.delete(group)
    assert not azure.there(vnet)


def test_a_read_only_lock_refuses_changes_too(azure: Azure):
    group = azure.group()
    azure.make(t.LOCK, scope=group.id, lockName="keep", level="ReadOnly")
    with pytest.raises(Refusal, match="cannot perform write operation"):
        azure.vnet()


@pytest.mark.parametrize("name", ["ends.", "has space", "x" * 91])
def test_a_groups_name_has_rules(azure: Azure, name: str):
    with pytest.raises(Refusal, match="InvalidResourceGroup"):
        azure.group(name)


def test_parents_are_the_nearest_objects_of_the_path():
    account = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a"
    assert parent_path(f"{account}/blobServices/default/containers/c") == account
    assert parent_path(account) == ""


def test_a_scope_holds_what_lies_below_it_and_nothing_that_only_begins_alike():
    assert is_under("/subscriptions/s/resourceGroups/Lab/x", "/subscriptions/s/resourcegroups/lab")
    assert not is_under("/subscriptions/s/resourceGroups/lab2", "/subscriptions/s/resourceGroups/lab")
    assert group_of("/subscriptions/s/resourcegroups/lab/providers/x") == "lab"


def test_automatic_names_are_formed_as_the_package_forms_them():
    assert kinds.kind(t.VNET).auto_form("lab-vnet", "0123456") == "lab-vnet0123456"
    assert len(kinds.kind(t.ROLE_ASSIGNMENT).auto_form("lab", "0123456").split("-")) == 5


def test_types_without_a_behaviour_keep_a_path_too(azure: Azure):
    azure.group()
    made = azure.make("azure-native:network:ApplicationGateway", applicationGatewayName="gate")
    assert made.id.startswith(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg/providers/Microsoft.Network/")
    assert kinds.kind(made.kind).generic
