"""How the objects of Google Cloud are found again: by the path that their name gives, which is decided before the create.

Sources: id formats from the documentation of each resource of the Terraform Google provider, on which pulumi-gcp is built; paths from
Google's discovery documents. A test compares the paths with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Inputs = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Where:
    """What inputs leave to the provider."""

    project: str
    region: str


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A kind that a path finds."""

    service: str
    path: Callable[[Inputs, Where], str]
    """REST path without the API's root. Raises KeyError while an input is missing."""
    id: Callable[[Inputs, Where], str]
    """The provider's id."""
    labels: str | None = None
    """Field of the answer with its labels; None for kinds that carry none."""


def _last(value: object) -> str:
    return str(value).rsplit("/", 1)[-1]


def _compute(collection: str, labels: str | None = None) -> Placed:
    """`collection` with {region} or {zone} where it has one; path and id are alike."""

    def id_(inputs: Inputs, where: Where) -> str:
        place = {"region": _last(inputs.get("region") or where.region), "zone": _last(inputs["zone"])} if "{zone}" in collection else {
            "region": _last(inputs.get("region") or where.region)
        }  # fmt: skip
        return f"projects/{where.project}/{collection.format(**place)}/{inputs['name']}"

    return Placed(service="compute", path=lambda inputs, where: f"/compute/v1/{id_(inputs, where)}", id=id_, labels=labels)


def _v1(service: str, id_: Callable[[Inputs, Where], str], labels: str | None = None, version: str = "v1") -> Placed:
    """Kinds whose id is their path."""
    return Placed(service=service, path=lambda inputs, where: f"/{version}/{id_(inputs, where)}", id=id_, labels=labels)


def _cluster_id(inputs: Inputs, where: Where) -> str:
    return f"projects/{where.project}/locations/{inputs['location']}/clusters/{inputs['name']}"


def _pool_id(inputs: Inputs, where: Where) -> str:
    cluster = str(inputs["cluster"])
    if not cluster.startswith("projects/"):
        cluster = f"projects/{where.project}/locations/{inputs['location']}/clusters/{cluster}"
    return f"{cluster}/nodePools/{inputs['name']}"


def _account_id(inputs: Inputs, where: Where) -> str:
    return f"projects/{where.project}/serviceAccounts/{inputs['accountId']}@{where.project}.iam.gserviceaccount.com"


def _lustre_id(inputs: Inputs, where: Where) -> str:
    return f"projects/{where.project}/locations/{inputs['location']}/instances/{inputs['instanceId']}"


PLACED: Mapping[str, Placed] = {
    "gcp:compute/network:Network": _compute("global/networks"),
    "gcp:compute/subnetwork:Subnetwork": _compute("regions/{region}/subnetworks"),
    "gcp:compute/firewall:Firewall": _compute("global/firewalls"),
    "gcp:compute/router:Router": _compute("regions/{region}/routers"),
    "gcp:compute/address:Address": _compute("regions/{region}/addresses", "labels"),
    "gcp:compute/globalAddress:GlobalAddress": _compute("global/addresses", "labels"),
    "gcp:compute/resourcePolicy:ResourcePolicy": _compute("regions/{region}/resourcePolicies"),
    "gcp:compute/reservation:Reservation": _compute("zones/{zone}/reservations"),
    "gcp:compute/instance:Instance": _compute("zones/{zone}/instances", "labels"),
    "gcp:compute/disk:Disk": _compute("zones/{zone}/disks", "labels"),
    "gcp:compute/instanceTemplate:InstanceTemplate": _compute("global/instanceTemplates"),
    "gcp:compute/instanceGroupManager:InstanceGroupManager": _compute("zones/{zone}/instanceGroupManagers"),
    "gcp:container/cluster:Cluster": _v1("container", _cluster_id, "resourceLabels"),
    "gcp:container/nodePool:NodePool": _v1("container", _pool_id),
    "gcp:serviceaccount/account:Account": _v1("iam", _account_id),
    "gcp:lustre/instance:Instance": _v1("lustre", _lustre_id, "labels"),
    "gcp:kms/keyRing:KeyRing": _v1("kms", lambda i, w: f"projects/{w.project}/locations/{i['location']}/keyRings/{i['name']}"),
    "gcp:kms/cryptoKey:CryptoKey": _v1("kms", lambda i, _: f"{i['keyRing']}/cryptoKeys/{i['name']}", "labels"),
    "gcp:logging/projectSink:ProjectSink": _v1("logging", lambda i, w: f"projects/{w.project}/sinks/{i['name']}", version="v2"),
    "gcp:storage/bucket:Bucket": Placed(
        service="storage", path=lambda i, _: f"/storage/v1/b/{i['name']}", id=lambda i, _: str(i["name"]), labels="labels"
    ),
}

REPEATABLE: Mapping[str, str] = {
    "gcp:projects/iAMMember:IAMMember": "giving a member a role again changes nothing",
    "gcp:serviceaccount/iAMMember:IAMMember": "giving a member a role again changes nothing",
    "gcp:storage/bucketIAMMember:BucketIAMMember": "giving a member a role again changes nothing",
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember": "giving a member a role again changes nothing",
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": "configuring a log bucket again replaces its settings",
}
"""Kinds whose second create makes nothing twice and is not refused."""

READY = {"gcp:container/cluster:Cluster": ("RUNNING", "STOPPING"), "gcp:container/nodePool:NodePool": ("RUNNING", "STOPPING")}
"""Kinds that are there long before they are ready: their status when they are, and while they leave (GKE API reference)."""
