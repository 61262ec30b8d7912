"""What other controllers install for the program: charts of Argo CD, Flux and K3s, and repositories whose content is not seen.

Sources: Argo CD 3.1, "Application Specification" and "Helm" (order of values: files, `values`, `valuesObject`, parameters); Flux 2.7, "Helm
Releases" and "Kustomization"; K3s, "Helm".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import Chart, Lost, Manifest
from components.resource import Value, name_of
from components.unknown import Maybe, Unknown, known
from policies.readers.values import first, given, items, mapping, text

from .helm import over
from .objects import documents
from .pods import dotted

Path = tuple[str | int, ...]
APPLICATIONS: Mapping[tuple[str, str], Path] = {
    ("argoproj.io", "Application"): ("spec",),
    ("argoproj.io", "ApplicationSet"): ("spec", "template", "spec"),
}
"""Kinds of Argo CD and where they keep what they apply."""
_OPEN = "filled in by a generator"
_ELSEWHERE = "an order to another controller to apply a repository that is not opened"


def read_delivery(manifest: Manifest) -> Iterator[Chart | Lost]:
    """The charts that the object has installed, and what it applies unseen; nothing for other kinds."""
    kind = (manifest.group, manifest.kind)
    if kind in APPLICATIONS:
        yield from _of_application(manifest, APPLICATIONS[kind])
    elif kind == ("helm.toolkit.fluxcd.io", "HelmRelease"):
        yield _chart(manifest, ("spec", "chart", "spec"), _flux_values(manifest), ("spec", "targetNamespace"))
    elif kind == ("helm.cattle.io", "HelmChart"):
        yield _chart(manifest, ("spec",), _text_values(manifest, ("spec", "valuesContent")), ("spec", "targetNamespace"))
    elif kind == ("kustomize.toolkit.fluxcd.io", "Kustomization"):
        yield _unseen(manifest, "spec.sourceRef")


def _of_application(manifest: Manifest, at: Path) -> Iterator[Chart | Lost]:
    several = items(manifest.read(*at, "sources"), "sources")
    if isinstance(several, Unknown):
        yield _unseen(manifest, dotted((*at, "sources")))
        return
    for source in [(*at, "sources", i) for i in range(len(several))] or [(*at, "source")]:
        if manifest.read(*source, "chart") is not None:
            yield _chart(manifest, source, _argo_values(manifest, (*source, "helm")), (*at, "destination", "namespace"))
        elif manifest.read(*source, "ref") is None or manifest.read(*source, "path") is not None:
            yield _unseen(manifest, dotted(source))


def _unseen(manifest: Manifest, path: str) -> Lost:
    return Lost(urn=manifest.urn, type=manifest.kind, reason=f"{_ELSEWHERE} ({manifest.at(path)})")


def _name(manifest: Manifest) -> str:
    return manifest.name if isinstance(manifest.name, str) else name_of(manifest.urn)


def _chart(manifest: Manifest, at: Path, values: Maybe[Mapping[str, Value]], namespace: Path) -> Chart:
    version = first(*(text(manifest.read(*at, key), dotted((*at, key))) for key in ("targetRevision", "version")))
    own = first(text(manifest.read(*namespace), dotted(namespace)), manifest.namespace)
    named = given(text(manifest.read(*at, "chart"), dotted((*at, "chart"))), manifest.at(dotted((*at, "chart"))), "given by another object")
    return Chart(
        urn=manifest.urn,
        name=_name(manifest),
        chart=Unknown(manifest.at(dotted((*at, "chart"))), _OPEN) if known(named) and "{{" in named else named,
        version=version,
        namespace=own,
        values=values,
        cluster=manifest.cluster,
        waits=False,
        delegated=True,
    )


def _argo_values(manifest: Manifest, at: Path) -> Maybe[Mapping[str, Value]]:
    files = items(manifest.read(*at, "valueFiles"), dotted((*at, "valueFiles")))
    if isinstance(files, Unknown) or files:
        return (
            files
            if isinstance(files, Unknown)
            else Unknown(dotted((*at, "valueFiles")), "given by files of a repository that is not opened")
        )
    written = _text_values(manifest, (*at, "values"))
    plain = mapping(manifest.read(*at, "valuesObject"), dotted((*at, "valuesObject")))
    single = _parameters(manifest, (*at, "parameters"))
    if isinstance(written, Unknown) or isinstance(plain, Unknown) or isinstance(single, Unknown):
        return next(part for part in (written, plain, single) if isinstance(part, Unknown))
    return over(over(written, plain), single)


def _text_values(manifest: Manifest, at: Path) -> Maybe[Mapping[str, Value]]:
    merged: Mapping[str, Value] = {}
    for body in documents(manifest.read(*at), dotted(at)):
        if isinstance(body, Unknown):
            return body
        merged = over(merged, body)
    return merged


def _parameters(manifest: Manifest, at: Path) -> Maybe[Mapping[str, Value]]:
    """`driver.enabled` = "false" as an object. Names that count into lists, or escape their dots, are not taken apart."""
    found = items(manifest.read(*at), dotted(at))
    if isinstance(found, Unknown):
        return found
    merged: Mapping[str, Value] = {}
    for i in range(len(found)):
        name = text(manifest.read(*at, i, "name"), dotted((*at, i, "name")))
        if isinstance(name, Unknown) or name is None or "[" in name or "\\" in name:
            return Unknown(dotted((*at, i, "name")), "a name that is not taken apart")
        said: Value = manifest.read(*at, i, "value")
        for key in reversed(name.split(".")):
            said = {key: said}
        merged = over(merged, cast("Mapping[str, Value]", said))
    return merged


def _flux_values(manifest: Manifest) -> Maybe[Mapping[str, Value]]:
    others = items(manifest.read("spec", "valuesFrom"), "spec.valuesFrom")
    if isinstance(others, Unknown) or others:
        return others if isinstance(others, Unknown) else Unknown("spec.valuesFrom", "given by objects of the cluster")
    return mapping(manifest.read("spec", "values"), "spec.values")
