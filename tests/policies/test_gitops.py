"""Charts that Argo CD, Flux and K3s install for the program are judged like its own; repositories that are not opened are no pass."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import Chart
from components.unknown import Unknown
from policies import Finding, Status, evaluate
from policies.readers import inventory, types
from tests.policies.raw import SETTINGS, Raw, said, training

ARGO, SET = "kubernetes:argoproj.io/v1alpha1:Application", "kubernetes:argoproj.io/v1alpha1:ApplicationSet"
FLUX, K3S = "kubernetes:helm.toolkit.fluxcd.io/v2:HelmRelease", "kubernetes:helm.cattle.io/v1:HelmChart"
KUSTOMIZATION = "kubernetes:kustomize.toolkit.fluxcd.io/v1:Kustomization"


def program(kind: str, **spec: Any) -> Raw:
    return training().without("operator").plus(kind, "delivery", metadata={"name": "delivery", "namespace": "ops"}, spec=spec)


def argo(**helm: Any) -> Raw:
    source = {"repoURL": "https://helm.ngc.nvidia.com/nvidia", "chart": "gpu-operator", "targetRevision": "v26.7.0", "helm": helm}
    return program(ARGO, source=source, destination={"namespace": "gpu-operator"})


def flux(**spec: Any) -> Raw:
    return program(FLUX, chart={"spec": {"chart": "gpu-operator", "version": "v26.7.0"}}, **spec)


def values(on: bool) -> dict[str, Any]:
    return {"driver": {"enabled": on}, "toolkit": {"enabled": on}}


def chart(raw: Raw) -> Chart:
    return next(c for c in inventory(raw.built()).charts if c.name == "delivery")


def found(raw: Raw, rule: str) -> list[Finding]:
    return said(evaluate(raw.built(), SETTINGS), rule)


FORMS = {
    "values object": lambda on: argo(valuesObject=values(on)),
    "values text": lambda on: argo(values=f"driver: {{enabled: {str(on).lower()}}}\ntoolkit: {{enabled: {str(on).lower()}}}"),
    "parameters": lambda on: argo(parameters=[{"name": f"{part}.enabled", "value": str(on).lower()} for part in ("driver", "toolkit")]),
    "several sources": lambda on: program(
        ARGO, sources=[{"repoURL": "x", "ref": "values"}, {"chart": "gpu-operator", "helm": {"valuesObject": values(on)}}]
    ),
    "application set": lambda on: program(
        SET, template={"spec": {"source": {"chart": "gpu-operator", "helm": {"valuesObject": values(on)}}}}
    ),
    "flux": lambda on: flux(values=values(on)),
    "k3s": lambda on: program(K3S, chart="gpu-operator", valuesContent=f"driver: {{enabled: {on}}}\ntoolkit: {{enabled: {on}}}"),
}


@pytest.mark.failure("C1")
@pytest.mark.parametrize("form", FORMS)
def test_a_second_owner_of_the_driver_is_told_however_the_operator_is_installed(form: str) -> None:
    assert [f.status for f in found(FORMS[form](on=True), "GPU-DRV-01")] == [Status.VIOLATED]
    assert found(FORMS[form](on=False), "GPU-DRV-01") == found(FORMS[form](on=False), "GPU-DRV-02") == []


def test_what_stands_nearer_wins() -> None:
    raw = argo(values="driver: {enabled: true, rdma: {enabled: true}}", valuesObject={"driver": {"enabled": True}})
    raw = raw.set("delivery", [{"name": "driver.enabled", "value": "false"}], "spec", "source", "helm", "parameters")
    assert chart(raw).values == {"driver": {"enabled": "false", "rdma": {"enabled": True}}}
    assert (chart(raw).namespace, chart(raw).version) == ("gpu-operator", "v26.7.0")


@pytest.mark.failure("H10")
@pytest.mark.parametrize(
    "raw",
    [
        argo(valueFiles=["$values/gpu.yaml"]),
        argo(values="{not yaml"),
        argo(parameters=[{"name": "a[0].b", "value": "x"}]),
        argo(parameters=Unknown("p")),
        argo(valuesObject=Unknown("v")),
        flux(valuesFrom=[{"kind": "ConfigMap", "name": "gpu"}]),
        flux(values=Unknown("v")),
    ],
)
def test_values_that_stand_elsewhere_are_unknown(raw: Raw) -> None:
    assert isinstance(chart(raw).values, Unknown)
    assert [f.status for f in found(raw, "GPU-DRV-01")] == [Status.UNKNOWN]


@pytest.mark.failure("H10")
@pytest.mark.parametrize(
    "raw",
    [program(FLUX, chartRef={"kind": "OCIRepository", "name": "op"}), program(SET, template={"spec": {"source": {"chart": "{{chart}}"}}})],
    ids=["by reference", "by a generator"],
)
def test_a_chart_that_another_object_names_is_unknown(raw: Raw) -> None:
    assert [f.status for f in found(raw, "GPU-READ-01")] == [Status.UNKNOWN]


@pytest.mark.failure("H10")
@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (program(ARGO, source={"repoURL": "https://example.com/apps", "path": "gpu"}), "spec.source"),
        (program(ARGO, sources=Unknown("sources")), "spec.sources"),
        (program(ARGO), "spec.source"),
        (program(KUSTOMIZATION, path="./gpu", sourceRef={"kind": "GitRepository", "name": "apps"}), "spec.sourceRef"),
    ],
)
def test_a_repository_that_is_not_opened_is_no_pass(raw: Raw, path: str) -> None:
    (finding,) = found(raw, "GPU-COST-03")
    assert f"a repository that is not opened ({path})" in finding.message


def test_helms_own_settings_are_not_asked_of_other_installers() -> None:
    told = {f.rule for f in evaluate(flux(values=values(on=False)).built(), SETTINGS) if f.urn.endswith("delivery")}
    assert not told & {"GPU-KUBE-01", "GPU-KUBE-04", "GPU-STACK-12"}


def test_objects_in_yaml_text_order_charts_too() -> None:
    text = (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: delivery}\nspec: {chart: {spec: {chart: gpu-operator}}}"
    )
    raw = training().without("operator").plus(types.YAML[0], "group", yaml=text)
    assert [f.status for f in found(raw, "GPU-DRV-01")] == [Status.VIOLATED]
