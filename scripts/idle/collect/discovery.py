"""GPU clusters of which no stack file speaks, in the accounts that stack files name: only reported, since nobody here says what may be done.

A cluster counts by its GPU pools (node groups, node pools, agent pools), whether a machine runs in them or not. Machines that Karpenter or
EKS Auto Mode make beside node groups are in no list of the cloud's Kubernetes service, and do not make a cluster one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date

from components import naming
from components.inventory import Cloud
from scripts.errors import Failed, GpukitError
from scripts.idle.collect import clouds, together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import Asking, Looked
from scripts.idle.intent import Policy


@dataclass(frozen=True, kw_only=True)
class Discovered:
    """Clusters without a stack file, and the accounts that could not be searched."""

    looked: tuple[Looked, ...] = ()
    errors: tuple[str, ...] = ()


def discover(known: Sequence[Target], asking: Asking) -> Discovered:
    """Looks through each account (on AWS: account and region) that `known` names, one search each."""
    places = {_place(target): target for target in known}
    if not places:
        return Discovered()
    asking = asking.shared()
    mine = {_identity(target) for target in known}

    def searched(target: Target) -> tuple[list[Looked], str | None]:
        try:
            others = [each for each in _listed(target, asking.access) if _identity(each) not in mine]
            return [looked for each in others if (looked := _looked(each, asking)) is not None], None
        except GpukitError as error:
            return [], f"other clusters of {target.cloud} {target.account} were not searched: {error}"

    with ThreadPoolExecutor(max_workers=min(together.AT_ONCE, len(places))) as threads:
        answers = list(threads.map(searched, places.values()))
    return Discovered(
        looked=tuple(looked for found, _ in answers for looked in found),
        errors=tuple(error for _, error in answers if error is not None),
    )


def _place(target: Target) -> tuple[str, ...]:
    """EKS lists clusters of a region; GKE those of a project, AKS those of a subscription."""
    return (target.cloud, target.account, target.region) if target.cloud == "aws" else (target.cloud, target.account)


def _identity(target: Target) -> tuple[str, str, str]:
    """A name is a cluster's own within an account as far as stack files tell: their regions are not always its location."""
    return (target.cloud, target.account, target.cluster.casefold())


def _looked(target: Target, asking: Asking) -> Looked | None:
    """The cluster with all its sources; None when it has no GPU pool. What refuses leaves it unknown and ends no run."""
    found = clouds.look(target, asking.access, asking.now)
    if not found.there or not found.pools:
        return None
    tags = found.tags or {}
    owned = replace(target, owner=tags.get(naming.tag_key(target.cloud, "owner"), ""), expires=_day(target.cloud, tags))
    return replace(together.of(owned, asking), errors=())


def _day(cloud: Cloud, tags: Mapping[str, str]) -> date | None:
    """The lease that its tag mirrors; None without one, or for what is no day."""
    text = tags.get(naming.tag_key(cloud, "expires"))
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _listed(place: Target, access: Access) -> Iterator[Target]:
    try:
        match place.cloud:
            case "aws":
                yield from (_target(place, name, place.region) for name in _eks(place, access))
            case "gcp":
                yield from (_target(place, name, location) for name, location in _gke(place, access))
            case "azure":
                yield from (_target(place, name, location) for name, location in _aks(place, access))
    except ImportError as error:
        raise Failed(f"the client of {place.cloud} is not installed ({error}): install gpukit[{place.cloud}]") from error


def _eks(place: Target, access: Access) -> list[str]:
    from scripts.idle.collect.aws import Aws, told

    aws = Aws(place, access.environment, access.paces)
    return told("list clusters", lambda: [str(name) for name in aws.pages("eks", "list_clusters", "clusters")])


def _gke(place: Target, access: Access) -> Iterable[tuple[str, str]]:
    from scripts.idle.collect.gcp import Gcp

    return [(str(each.name), str(each.location)) for each in Gcp.of(place, access).clusters()]


def _aks(place: Target, access: Access) -> Iterable[tuple[str, str]]:
    from scripts.idle.collect.azure import Azure

    return [(str(each.name), str(each.location).casefold().replace(" ", "")) for each in Azure.of(place, access).clusters()]


def _target(place: Target, name: str, region: str) -> Target:
    """Policy and notification are those of a cluster that is only spoken about."""
    return Target(
        stack=f"{place.cloud}/{place.account}/{region}/{name}",
        cluster=name,
        cloud=place.cloud,
        account=place.account,
        region=region,
        workload=None,
        owner="",
        expires=None,
        policy=Policy(why_not="it has no stack file"),
        notify=(),
        markets={},
        discovered=True,
    )
