"""GPU-ACCESS: the way into the cluster is stable, and no credential lies open."""

from __future__ import annotations

from collections.abc import Iterator

from policies.finding import Level
from policies.readers.values import denied, mapped

from .rule import Case, Place, Rule, Scope, Verdict, judged


def _moving_identity(case: Case) -> Iterator[Verdict]:
    text = (
        "knows its cluster by the kubeconfig alone: any change of that text, even an unknown one in a preview, is another cluster, so that the provider "
        "and everything it made is replaced. Give cluster_identifier, such as the cluster's endpoint."
    )
    for access in case.inventory.accesses:
        yield from judged(denied(access.fixed_identity), Place(access.urn, access.name, "clusterIdentifier"), text, "")


def _open_credential(case: Case) -> Iterator[Verdict]:
    for access in case.inventory.accesses:
        text = (
            f"its kubeconfig holds {access.plain_credential} in clear text, which then stands in state and previews, and which changes with every new "
            "one. Fetch credentials by an exec plugin (aws eks get-token), and mark the kubeconfig as a secret."
        )
        wrong = mapped(access.plain_credential, lambda key: key is not None)
        yield from judged(wrong is True, Place(access.urn, access.name, "kubeconfig"), text, "")


def _open_output(case: Case) -> Iterator[Verdict]:
    for output in case.inventory.outputs:
        text = (
            f"output {output.name} hands out a kubeconfig that is not secret: everyone who reads the stack's outputs may enter the cluster. Export "
            "pulumi.Output.secret(…), and use an exec plugin in it."
        )
        wrong = mapped(output.holds_kubeconfig, lambda holds, output=output: holds and not output.secret)
        yield from judged(wrong, Place(output.urn, "stack", output.name), text, "it cannot be told whether it hands out access")


RULES = (
    Rule(
        id="GPU-ACCESS-01",
        title="Kubernetes providers have a fixed cluster identity",
        failures=("H7",),
        scope=Scope.STACK,
        check=_moving_identity,
        fix="kubernetes.Provider(cluster_identifier=cluster.endpoint, …)",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-ACCESS-02",
        title="No credential stands in a kubeconfig",
        failures=("H7", "H8"),
        scope=Scope.STACK,
        check=_open_credential,
        fix="users: [{user: {exec: {command: aws, args: [eks, get-token, …]}}}]",
    ),
    Rule(
        id="GPU-ACCESS-03",
        title="Kubeconfigs leave the stack as secrets",
        failures=("H8",),
        scope=Scope.STACK,
        check=_open_output,
        fix='pulumi.export("kubeconfig", pulumi.Output.secret(kubeconfig))',
    ),
)
