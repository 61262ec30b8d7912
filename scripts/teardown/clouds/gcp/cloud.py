"""Google Cloud through its REST APIs.

Labels say whose a thing is. Networks, firewall rules and routers carry none: they count by their name where their parent is the cluster's
own network, which the cluster itself, or the journal of an unfinished run, has told. Parts of load balancers: see controllers.py.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from components import catalog
from components.naming import account_description, tag_key
from scripts.engine.gcp_session import Google
from scripts.errors import Failed
from scripts.teardown import kinds as k
from scripts.teardown.clouds.cloud import Busy, ClusterFacts
from scripts.teardown.clouds.gcp import balancers, controllers, prices
from scripts.teardown.clouds.gcp.controllers import Owned
from scripts.teardown.clouds.gcp.project import COMPUTE, Project, path_of
from scripts.teardown.clouds.gcp.whose import STACK, Whose
from scripts.teardown.model import Scope, Target, Thing

_KEPT = tag_key("gcp", "kept")
_GKE_POOL = "goog-k8s-node-pool-name"
_DATA = "data outlives clusters"
_IN_COMPUTE = {
    k.INSTANCE: "instances", k.VOLUME: "disks", k.ADDRESS: "addresses", k.FIREWALL: "firewalls", k.ROUTES: "routers", k.SUBNET: "subnetworks",
    k.NETWORK: "networks", k.PLACEMENT: "resourcePolicies", k.SNAPSHOT: "snapshots",
}  # fmt: skip
_GLOBAL = (k.FIREWALL, k.NETWORK, k.SNAPSHOT)
"""Kinds that Google lists in one place only."""
_NAMED = frozenset({k.FIREWALL, k.ROUTES, k.SUBNET, k.NETWORK, k.PLACEMENT})
"""Kinds without labels."""


class GcpCloud:
    """One target in one project. `environment` holds credentials and, in the sandbox, the endpoint."""

    def __init__(self, target: Target, environment: Mapping[str, str], sleep: Callable[[float], None] = time.sleep) -> None:
        self._target = target
        self._google = Google(environment)
        self._project = Project(account=target.account, google=self._google, sleep=sleep)
        self._scope = Scope()
        self._looked: list[dict[str, Any] | None] = []
        """The cluster as one look has found it: asked for once a look, not once a machine."""
        self._balancing: tuple[Owned, ...] | None = None
        """Parts of load balancers as one look has found them."""
        own = {kind: (lambda kind=kind: self._compute(kind)) for kind in _IN_COMPUTE}
        self._finders: Mapping[str, Callable[[], Iterator[Thing]]] = {
            k.POOL: self._pools, k.CLUSTER: self._clusters,
            k.BALANCER: lambda: balancers.rules(self._parts(), target.region), k.TARGETS: lambda: balancers.targets(self._parts()), k.BUCKET: self._buckets,
            k.FILES: self._files, k.ROLE: self._accounts, k.RESERVATION: self._reservations, **own,
        }  # fmt: skip

    @property
    def _claim(self) -> Whose:
        return Whose(target=self._target, scope=self._scope)

    def cluster(self) -> ClusterFacts | None:
        found = self._described()
        if found is None:
            return None
        endpoint = str(found.get("endpoint") or "")
        network = str((found.get("networkConfig") or {}).get("network") or found.get("network") or "")
        return ClusterFacts(
            name=self._target.cluster,
            ready=found.get("status") == "RUNNING",
            protected=False,  # H14: deletion protection is the provider's own, and stands in the state
            endpoint=endpoint if "://" in endpoint or not endpoint else f"https://{endpoint}",
            authority=str((found.get("masterAuth") or {}).get("clusterCaCertificate") or ""),
            token_command=("gke-gcloud-auth-plugin",),
            scope=Scope(
                network=network.rsplit("/", 1)[-1],
                stack=str((found.get("resourceLabels") or {}).get(STACK, "")),
                reservations=",".join(sorted(set(_reserved(found)))),
            ),
        )

    def namesakes(self) -> tuple[str, ...]:
        own = self._places()
        return tuple(place for place in (str(each["location"]) for each in self._of_name()) if not own.fullmatch(place))

    def find(self, kinds: Collection[str], scope: Scope) -> tuple[Thing, ...]:
        self._scope = scope
        self._looked.clear()
        self._balancing = None
        return tuple(
            thing for kind, finder in self._finders.items() if kind in kinds for thing in self._project.told(lambda f=finder: list(f()))
        )

    def to_zero(self, pool: Thing) -> None:
        """Autoscaling off first: it would bring back what its minimum says. Counts of GKE are for each zone (D7), zero is zero in all."""
        self._project.send("POST", "container", f"/v1/{pool.id}:setAutoscaling", {"autoscaling": {"enabled": False}})
        self._project.send("POST", "container", f"/v1/{pool.id}:setSize", {"nodeCount": 0})

    def delete(self, thing: Thing) -> None:
        if thing.detail.get("leaving") or thing.detail.get("pooled"):
            return
        if thing.detail.get("in_use"):
            raise Busy(f"{thing.label} is in use by {thing.detail['in_use']} machines")
        self._project.send("DELETE", str(thing.detail["service"]), str(thing.detail["path"]))

    def _described(self) -> dict[str, Any] | None:
        """The cluster of exactly this name, in the region or in a zone of it."""
        own = self._places()
        found = [each for each in self._of_name() if own.fullmatch(str(each["location"]))]
        if len(found) > 1:
            where = ", ".join(str(each["location"]) for each in found)
            raise Failed(
                f"There are several clusters named {self._target.cluster}: in {where}. Give the zone as --region. Nothing was changed."
            )
        return found[0] if found else None

    def _places(self) -> re.Pattern[str]:
        return re.compile(f"{re.escape(self._target.region)}(-[a-z])?")

    def _of_name(self) -> list[dict[str, Any]]:
        """Every cluster of this name in the project."""
        listed = (
            self._project.told(lambda: self._google.get("container", f"/v1/projects/{self._target.account}/locations/-/clusters")) or {}
        )
        return [each for each in listed.get("clusters", ()) if each["name"] == self._target.cluster]

    def _now(self) -> dict[str, Any] | None:
        if not self._looked:
            self._looked.append(self._described())
        return self._looked[0]

    def _clusters(self) -> Iterator[Thing]:
        found = self._now()
        if found is not None:
            usd = prices.control_plane(self._target.region)
            path = f"projects/{self._target.account}/locations/{found['location']}/clusters/{found['name']}"
            yield self._thing(k.CLUSTER, path, "the target itself", usd, service="container", leaving=found.get("status") == "STOPPING")

    def _pools(self) -> Iterator[Thing]:
        """Through the cloud's API, not from the state (K10)."""
        cluster = self._now()
        for pool in (cluster or {}).get("nodePools", ()):
            config, scaling = pool.get("config") or {}, pool.get("autoscaling") or {}
            path = str(pool["selfLink"]).partition("/v1/")[2]
            sizes = {name: scaling.get(name) or 0 for name in ("minNodeCount", "totalMinNodeCount")} if scaling.get("enabled") else {}
            yield self._thing(
                k.POOL, path, f"node pool of {self._target.cluster}", 0.0, service="container", gpu=_gpu(config), minimum=max(sizes.values(), default=0),
                desired=0, running=self._machines(pool), leaving=pool.get("status") == "STOPPING",
            )  # fmt: skip

    def _machines(self, pool: Mapping[str, Any]) -> int:
        groups = (
            str(url).partition(COMPUTE)[2].replace("/instanceGroups/", "/instanceGroupManagers/")
            for url in pool.get("instanceGroupUrls", ())
        )
        return sum(int((self._google.get("compute", f"{COMPUTE}{group}") or {}).get("targetSize") or 0) for group in groups)

    def _compute(self, kind: str) -> Iterator[Thing]:
        for each in self._project.listed(_IN_COMPUTE[kind], in_one_place=kind in _GLOBAL):
            why = self._claim.by_name(kind, each) if kind in _NAMED else self._claim.by_labels(each.get("labels") or {})
            if not why and kind == k.ADDRESS and controllers.named(str(each["name"]), self._scope.uid):
                why = "its name is made of the cluster's uid"
            if why:
                yield self._of_compute(kind, each, why)

    def _of_compute(self, kind: str, each: Mapping[str, Any], why: str) -> Thing:
        labels: Mapping[str, str] = each.get("labels") or {}
        path = path_of(each)
        kept = _DATA if _KEPT in labels or kind == k.SNAPSHOT else self._kept_disk(each) if kind == k.VOLUME else ""
        name, price = str(each["name"]), self._price(kind, each)
        pooled = kind == k.INSTANCE and _GKE_POOL in labels and self._now() is not None
        return Thing(
            kind=kind, id=name if kind == k.VOLUME else path, name=name, why=why, monthly_usd=price, kept=kept,
            detail={"service": "compute", "path": f"{COMPUTE}{path}", "pool": labels.get(_GKE_POOL, ""), "pooled": pooled},
        )  # fmt: skip

    def _kept_disk(self, each: Mapping[str, Any]) -> str:
        """A claim's disk by its recorded policy; where nobody could ask for it, it is data."""
        policy = self._scope.policies.get(str(each["name"]))
        claimed = "kubernetes.io/created-for/pvc" in str(each.get("description", ""))
        if policy == "Retain":
            return "its claim's policy is Retain"
        return "data of a claim whose reclaim policy nobody could ask for" if claimed and policy is None else ""

    def _price(self, kind: str, each: Mapping[str, Any]) -> float | None:
        """None: unknown, and billed. Kinds that are not priced here cost nothing by themselves."""
        region = self._target.region
        if kind == k.INSTANCE:
            return prices.machine(region, str(each.get("machineType", "")).rsplit("/", 1)[-1])
        of = {k.VOLUME: prices.disk, k.ADDRESS: prices.address, k.SNAPSHOT: prices.snapshot}.get(kind)
        return 0.0 if of is None else of(region, each)

    def _parts(self) -> tuple[Owned, ...]:
        if self._balancing is None:
            uid, network = self._scope.uid, self._scope.network
            self._balancing = balancers.owned_parts(
                self._project, uid=uid, network=network, own=self._claim.own_network(network), whose=self._claim.by_labels
            )
        return self._balancing

    def _reservations(self) -> Iterator[Thing]:
        """Those that the cluster's pools name: people made them, they carry no labels, and other clusters may use them too."""
        names = set(filter(None, self._scope.reservations.split(",")))
        for each in self._project.listed("reservations") if names else ():
            if each["name"] in names:
                in_use = int((each.get("specificReservation") or {}).get("inUseCount") or 0)
                yield Thing(
                    kind=k.RESERVATION, id=path_of(each), name=str(each["name"]), why="pools of the cluster name it",
                    monthly_usd=prices.reservation(self._target.region, each),
                    kept="capacity that its pools were bound to; it bills until it is cancelled, which --cancel-reservations does",
                    detail={"service": "compute", "path": f"{COMPUTE}{path_of(each)}", "in_use": in_use},
                )  # fmt: skip

    def _buckets(self) -> Iterator[Thing]:
        for page in self._google.pages("storage", "/storage/v1/b", project=self._target.account):
            for each in page.get("items", ()):
                if why := self._claim.by_labels(each.get("labels") or {}):
                    detail = {"service": "storage", "path": f"/storage/v1/b/{each['name']}"}
                    yield Thing(
                        kind=k.BUCKET, id=str(each["name"]), name=str(each["name"]), why=why, monthly_usd=None, kept=_DATA, detail=detail
                    )

    def _files(self) -> Iterator[Thing]:
        for page in self._google.pages("lustre", f"/v1/projects/{self._target.account}/locations/-/instances"):
            for each in page.get("instances", ()):
                if why := self._claim.by_labels(each.get("labels") or {}):
                    name = str(each["name"])
                    detail = {"service": "lustre", "path": f"/v1/{name}"}
                    yield Thing(kind=k.FILES, id=name, name=name.rsplit("/", 1)[-1], why=why, monthly_usd=None, kept=_DATA, detail=detail)

    def _accounts(self) -> Iterator[Thing]:
        """Service accounts, which carry no labels: by the whole description that this project gives them.

        Where nothing tells the stack any more, those of a cluster of this name are shown and left: it may stand in another region.
        """
        stack = self._target.stack or self._scope.stack
        for page in self._google.pages("iam", f"/v1/projects/{self._target.account}/serviceAccounts"):
            for each in page.get("accounts", ()):
                told = str(each.get("description") or "")
                alike = not stack and str(each.get("displayName") or "").rpartition(" ")[0] == self._target.cluster
                if stack and told == account_description(stack):
                    yield self._thing(k.ROLE, str(each["name"]), f"its description is {told!r}", 0.0, service="iam")
                elif alike and told.startswith(account_description("")):
                    left = f"its description is {told!r}, and nothing tells whether that is the target's: name the stack to end it"
                    yield replace(self._thing(k.ROLE, str(each["name"]), "", 0.0, service="iam"), kept=left)

    def _thing(self, kind: str, path: str, why: str, usd: float | None, *, service: str, **detail: Any) -> Thing:
        return Thing(
            kind=kind,
            id=path,
            name=path.rsplit("/", 1)[-1],
            why=why,
            monthly_usd=usd,
            detail={"service": service, "path": f"/v1/{path}", **detail},
        )


def _reserved(cluster: Mapping[str, Any]) -> Iterator[str]:
    """Names of the reservations that a cluster's pools ask for by name."""
    for pool in cluster.get("nodePools", ()):
        affinity: Mapping[str, Any] = (pool.get("config") or {}).get("reservationAffinity") or {}
        if affinity.get("consumeReservationType") == "SPECIFIC_RESERVATION":
            yield from (str(value).partition("/reservationBlocks/")[0].rsplit("/", 1)[-1] for value in affinity.get("values") or ())


def _gpu(config: Mapping[str, Any]) -> bool:
    """Whether a pool's machines have accelerators; a machine that the catalogue does not know may."""
    machine = catalog.find_machine("gcp", str(config.get("machineType", "")))
    return bool(config.get("accelerators")) or machine is None or machine.gpu_count > 0
