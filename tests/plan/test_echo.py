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


def test_what_eks_tells_later_is_unknown_though_its_block_is_known(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2, eks
        cluster = eks.Cluster("lab", role_arn="arn:aws:iam::123456789012:role/eks", vpc_config={"subnet_ids": ["subnet-1", "subnet-2"]})
        group = cluster.vpc_config.apply(lambda config: str(config.cluster_security_group_id))
        ec2.LaunchTemplate("gpu", vpc_security_group_ids=[group])
        pulumi.export("subnets", cluster.vpc_config.subnet_ids)
    """)
    assert found.error is None
    [template] = found.resources.of_type("aws:ec2/launchTemplate:LaunchTemplate")
    [group] = template.inputs["vpcSecurityGroupIds"]
    assert isinstance(group, Unknown)
    assert template.property_dependencies["vpcSecurityGroupIds"] == tuple(r.urn for r in found.resources.of_type("aws:eks/cluster:Cluster"))
    assert found.outputs["subnets"] == ["subnet-1", "subnet-2"]


def test_the_principal_of_a_system_assigned_identity_is_unknown(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_azure_native import containerservice
        cluster = containerservice.ManagedCluster(
            "lab", resource_group_name="lab", identity={"type": "SystemAssigned"}, oidc_issuer_profile={"enabled": True})
        pulumi.export("principal", cluster.identity.apply(lambda known: known.principal_id))
        pulumi.export("issuer", cluster.oidc_issuer_profile.apply(lambda known: str(known.issuer_url)))
    """)
    assert found.error is None
    assert isinstance(found.outputs["issuer"], Unknown)
    assert isinstance(found.outputs["principal"], Unknown)
