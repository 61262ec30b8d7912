"""What a registration answers: the inputs, but where the SDK reads another shape than it writes."""

from __future__ import annotations

from components.unknown import Unknown

from .conftest import Run


def test_an_identity_written_as_a_list_is_read_as_unknown_and_kept_as_written(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_azure_native import containerservice
        cluster = containerservice.ManagedCluster(
            "lab", resource_group_name="lab",
            identity={"type": "UserAssigned", "user_assigned_identities": ["/subscriptions/s/identity"]})
        pulumi.export("kind", cluster.identity.apply(lambda known: known.type))
        pulumi.export("users", cluster.identity.user_assigned_identities)
    """)
    assert found.error is None
    [cluster] = found.resources.of_type("azure-native:containerservice:ManagedCluster")
    assert cluster.inputs["identity"]["userAssignedIdentities"] == ["/subscriptions/s/identity"]
    assert isinstance(found.outputs["users"], Unknown)


def test_an_identity_without_users_is_read_as_it_was_written(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_azure_native import containerservice
        cluster = containerservice.ManagedCluster("lab", resource_group_name="lab", identity={"type": "SystemAssigned"})
        pulumi.export("kind", cluster.identity.type)
    """)
    assert (found.error, found.outputs["kind"]) == (None, "SystemAssigned")
