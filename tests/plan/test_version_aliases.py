"""azure-native's own aliases are spared the SDK and kept on the tape; the program's own are left to the SDK."""

from __future__ import annotations

from .conftest import Run

GROUP = """
    import pulumi
    from pulumi_azure_native import resources
    resources.ResourceGroup("data", opts=pulumi.ResourceOptions(aliases={aliases}))
"""


def test_versions_of_the_api_are_told_as_former_types(run: Run) -> None:
    found = run(GROUP.format(aliases="None"))
    assert found.error is None
    [(urn, aliases)] = found.aliases.items()
    assert urn.endswith("azure-native:resources:ResourceGroup::data")
    assert len(aliases) > 20
    assert all(alias.startswith("type=azure-native:resources/v") for alias in aliases)


def test_former_names_of_the_program_stay_beside_them(run: Run) -> None:
    found = run(GROUP.format(aliases='[pulumi.Alias(name="old"), pulumi.Alias(name="older", type_="azure-native:resources:Old")]'))
    assert found.error is None
    [aliases] = found.aliases.values()
    assert {"name=old", "name=older, type=azure-native:resources:Old"} <= set(aliases)
    assert sum(alias.startswith("type=azure-native:resources/v") for alias in aliases) > 20


def test_the_program_s_own_transformations_still_run(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_azure_native import resources

        def tagged(args):
            return pulumi.ResourceTransformationResult({**args.props, "tags": {"seen": "yes"}}, args.opts)

        pulumi.runtime.register_stack_transformation(tagged)
        resources.ResourceGroup("data")
    """)
    assert found.error is None
    [group] = found.resources.of_type("azure-native:resources:ResourceGroup")
    assert group.inputs["tags"] == {"seen": "yes"}


def test_other_providers_aliases_are_none_of_its_business(run: Run) -> None:
    found = run("""
        import pulumi
        from pulumi_aws import ec2
        ec2.Vpc("net", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(type_="aws:ec2/old:Vpc")]))
    """)
    assert list(found.aliases.values()) == [("type=aws:ec2/old:Vpc",)]
