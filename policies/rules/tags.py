"""GPU-TAG: everything that bills has an owner, an end, and the stack's tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from components.inventory import AddOn, ControlPlane, Inventory
from components.resource import Value, read
from components.unknown import Maybe, Unknown
from policies.finding import Level
from policies.readers.values import all_of, any_of, denied, mapped

from .clusters import charts, gpu_pools_of
from .rule import Case, Place, Rule, Scope, Verdict, judged

CSI = "aws-ebs-csi-driver"
PROVISIONER = "ebs.csi.aws.com"
OWNER = frozenset({"owner", "owners", "owned", "team", "contact"})
END = frozenset({"expires", "expire", "expiry", "expiration", "ttl", "lease", "until", "end", "ends", "deadline"})


def _owned_and_bounded(case: Case) -> Iterator[Verdict]:
    clusters = {pool.cluster for pool in case.inventory.gpu_pools if isinstance(pool.cluster, str)}
    for plane in case.inventory.control_planes:
        if plane.urn not in clusters or plane.tags is None or plane.existing:
            continue
        told = {what: _tagged(plane, words) for what, words in (("owner", OWNER), ("end of its lease", END))}
        missing = [what for what, there in told.items() if there is False]
        text = (
            f"a GPU cluster without {' and '.join(missing)}. Nobody ends machines that nobody owns: they run for weeks after their last job. Write "
            f"it to {plane.tag_property}, for example owner and expires, and let something outside the cluster enforce the day."
        )
        so = "it cannot be told who owns it and when it ends"
        place = Place(plane.urn, plane.name, plane.tag_property)
        yield from judged(any_of([denied(there) for there in told.values()]), place, text, so)


def _tagged(plane: ControlPlane, words: frozenset[str]) -> Maybe[bool]:
    """By a word of the key's last part: `gpukit/owner`, `cost:team`, `owner_email`, `ExpiresOn`."""
    return any_of([_holds(plane.tags, words), _holds(plane.tags_everywhere, words)])


def _holds(tags: Maybe[Mapping[str, Maybe[str]]] | None, words: frozenset[str]) -> Maybe[bool]:
    return mapped(tags, lambda known: known is not None and any(_words(key) & words for key in known))


def _words(key: str) -> frozenset[str]:
    last = re.split(r"[/:]", key)[-1]
    return frozenset(re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", last).casefold()))


def _untagged_volumes(case: Case) -> Iterator[Verdict]:
    text = (
        "the EBS driver without extra tags. Volumes of claims are no resources of the stack and carry nothing of it: no report shows them, and no sweep "
        "finds them after the cluster. Give controller.extraVolumeTags, or tagSpecification parameters of the StorageClass."
    )
    so = "it cannot be told whether volumes of claims carry tags"
    by_class = _tagged_classes(case.inventory)
    for add_on in case.inventory.add_ons:
        if _is_driver(add_on) and _with_gpus(case, add_on.cluster):
            untagged = denied(any_of([_has_tags(add_on.configuration), by_class]))
            yield from judged(untagged, Place(add_on.urn, CSI, "configurationValues"), text, so)
    for chart in charts(case, CSI):
        untagged = denied(any_of([_has_tags(chart.values), by_class]))
        yield from judged(untagged, Place(chart.urn, chart.name, "values.controller.extraVolumeTags"), text, so)


def _is_driver(add_on: AddOn) -> bool:
    return add_on.name == CSI


def _with_gpus(case: Case, cluster: Maybe[str | None]) -> bool:
    return bool(gpu_pools_of(case, cluster))


def _has_tags(values: Maybe[Mapping[str, Value]]) -> Maybe[bool]:
    found = values if isinstance(values, Unknown) else read(values, "controller", "extraVolumeTags")
    return mapped(found, bool)


def _tagged_classes(inventory: Inventory) -> Maybe[bool]:
    """Whether every class of the driver in the program tags its volumes; no class does not."""
    classes = [m for m in inventory.manifests if m.kind == "StorageClass" and m.read("provisioner") == PROVISIONER]
    claims = [
        mapped(m.read("parameters"), lambda p: isinstance(p, Mapping) and any(str(k).startswith("tagSpecification") for k in p))
        for m in classes
    ]
    return all_of(claims) if claims else False


RULES = (
    Rule(
        id="GPU-TAG-01",
        title="Volumes of claims carry the stack's tags",
        failures=("J9",),
        scope=Scope.STACK,
        check=_untagged_volumes,
        fix='configurationValues: {"controller": {"extraVolumeTags": {"team": "research"}}}',
    ),
    Rule(
        id="GPU-TAG-02",
        title="GPU clusters have an owner and an end",
        failures=("J5",),
        scope=Scope.STACK,
        check=_owned_and_bounded,
        fix="tags: {owner: ml-platform, expires: 2027-03-01}",
        level=Level.ADVISORY,
    ),
)
