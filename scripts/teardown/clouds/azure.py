"""Azure through Resource Manager's REST API.

Tags say whose a thing is; node pools are listed by AKS alone. A resource group is deleted only once it is empty: its delete would take along
whatever else stands in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, TypeVar

from components import catalog
from components.naming import tag_key
from scripts.arm_paths import TYPES, group_of, parse
from scripts.engine.azure_certificate import authority_by
from scripts.engine.azure_session import Arm, NoCredentials, NotThere
from scripts.engine.cluster_server import READERS
from scripts.errors import Failed
from scripts.teardown import kinds as k
from scripts.teardown.clouds import azure_prices
from scripts.teardown.clouds.azure_untagged import Untagged, principals_of
from scripts.teardown.clouds.cloud import Busy, ClusterFacts
from scripts.teardown.model import Scope, Target, Thing

T = TypeVar("T")
_STACK, _CLUSTER, _KEPT = (tag_key("azure", word) for word in ("stack", "cluster", "kept"))
_AKS, _POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
_LISTING = "2021-04-01"
_GROUP_VERSION = "2024-03-01"
_DATA = "data outlives clusters"
_KEPT_KINDS = frozenset({k.BUCKET, k.FILES, k.SNAPSHOT})
_BUSY = (HTTPStatus.CONFLICT, HTTPStatus.BAD_REQUEST, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.PRECONDITION_FAILED)
"""`InUseSubnetCannotBeDeleted` and its like come as 400 or 409 (Azure Resource Manager, common errors)."""
_KINDS: Mapping[str, str] = {
    "containerservice:ManagedCluster": k.CLUSTER, "compute:VirtualMachine": k.INSTANCE, "compute:VirtualMachineScaleSet": k.INSTANCE,
    "compute:Disk": k.VOLUME, "network:PublicIPAddress": k.ADDRESS, "network:NatGateway": k.NAT, "network:NetworkSecurityGroup": k.FIREWALL,
    "network:RouteTable": k.ROUTES, "network:NetworkInterface": k.INTERFACE, "network:PrivateEndpoint": k.ENDPOINT,
    "network:VirtualNetwork": k.NETWORK, "compute:ProximityPlacementGroup": k.PLACEMENT, "operationalinsights:Workspace": k.LOGS,
    "keyvault:Vault": k.KEY, "managedidentity:UserAssignedIdentity": k.ROLE, "storage:StorageAccount": k.BUCKET,
    "storagecache:AmlFilesystem": k.FILES, "compute:CapacityReservationGroup": k.RESERVATION, "compute:CapacityReservation": k.RESERVATION,
    "network:FlowLog": k.FLOW_LOG, "network:LoadBalancer": k.BALANCER, "compute:Snapshot": k.SNAPSHOT, "privatedns:PrivateZone": k.ZONE,
}  # fmt: skip
_WITH_PARTS = frozenset({k.ROLE, k.ZONE, k.RESERVATION})
"""Kinds whose parts or rights end before them."""


class AzureCloud:
    """One target in one subscription. `environment` holds credentials and, in the sandbox, the endpoint."""

    def __init__(self, target: Target, environment: Mapping[str, str], arm: Arm | None = None) -> None:
        self._target = target
        self._environment = environment
        self._arm = arm or Arm(environment)
        self._scope = Scope()
        self._untagged = Untagged(self._arm, self._root, target.region)

    def cluster(self) -> ClusterFacts | None:
        found = self._described()
        if found is None:
            return None
        properties = found.get("properties") or {}
        server = READERS[_AKS]({"name": found["name"], **{name: properties.get(name) for name in ("fqdn", "privateFQDN")}})
        path = str(found["id"])
        return ClusterFacts(
            name=self._target.cluster,
            ready=properties.get("provisioningState") == "Succeeded" and (properties.get("powerState") or {}).get("code") != "Stopped",
            protected=self._locked(path),
            endpoint=server.url if server is not None else "",
            authority=self._authority(path, server),
            token_command=server.token_command if server is not None else (),
            scope=Scope(group=str(properties.get("nodeResourceGroup") or ""), stack=_tags(found).get(_STACK, "")),
        )

    def namesakes(self) -> tuple[str, ...]:
        place = self._target.region.lower()
        return tuple(sorted({where for where in map(_place, self._of_name()) if where != place}))

    def find(self, kinds: Collection[str], scope: Scope) -> tuple[Thing, ...]:
        self._scope = scope
        found: list[Thing] = []
        if k.POOL in kinds:
            found += self._told(lambda: list(self._pools()))
        if set(kinds) - {k.POOL}:
            found += [thing for thing in self._told(lambda: list(self._tagged())) if thing.kind in kinds]
        return tuple(found)

    def to_zero(self, pool: Thing) -> None:
        """Autoscaling off and no node: a pool that still scales by itself would come back."""
        body = pool.detail["item"]
        properties = {name: value for name, value in (body.get("properties") or {}).items() if name not in _AUTOSCALER}
        self._send("PUT", pool.id, {**body, "properties": {**properties, "enableAutoScaling": False, "count": 0}})

    def delete(self, thing: Thing) -> None:
        if thing.detail.get("leaving"):
            return
        if thing.kind == k.GROUP and (inside := self._told(lambda: self._inside(thing.id))):
            raise Busy(f"{thing.id} still holds {inside[0]}: a group is deleted only once it is empty")
        if thing.kind in _WITH_PARTS:
            self._untagged.refuse_owner(thing, self._told)
        if thing.kind == k.CLUSTER:
            self._end_rights()
        self._send("DELETE", thing.id)

    def _end_rights(self) -> None:
        """The rights of the identities that go with the cluster: afterwards they would be those of an unknown principal, for ever."""
        cluster = self._described()
        if cluster is not None:
            for right in self._told(lambda: list(self._untagged.rights_of(principals_of(cluster)))):
                self._send("DELETE", right.id)

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Raises Busy where something still needs the thing, Failed for any other refusal; what is gone already is no error."""
        named = parse(path)
        version = named[0].version if named is not None else _GROUP_VERSION
        answer = self._told(lambda: self._arm.send(method, path, version, body))
        if answer.status_code in _BUSY:
            raise Busy(answer.text)
        if answer.is_error and answer.status_code != HTTPStatus.NOT_FOUND:
            raise Failed(f"Azure refused {method} {path}: {answer.text[:500]}. Run the teardown again to go on.")

    def _told(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except NoCredentials as error:
            raise Failed("Nobody is signed in to Azure: `az login`. Nothing was changed.") from error
        except NotThere as error:
            raise Failed(f"Azure has nothing at {error} for these credentials. Nothing was changed.") from error

    @property
    def _root(self) -> str:
        return f"/subscriptions/{self._target.account}"

    def _described(self) -> dict[str, Any] | None:
        """The cluster of exactly this name and place; a name is unique in its resource group only."""
        place = self._target.region.lower()
        found = [each for each in self._of_name() if _place(each) == place]
        stack = self._target.stack
        mine = [each for each in found if not stack or _tags(each).get(_STACK, stack) == stack]
        if len(mine) > 1:
            groups = ", ".join(group_of(str(each["id"])) for each in mine)
            raise Failed(f"There are several clusters named {self._target.cluster}: in the groups {groups}. Nothing was changed.")
        return mine[0] if mine else None

    def _of_name(self) -> list[dict[str, Any]]:
        """Every cluster of this name in the subscription."""
        path = f"{self._root}/providers/Microsoft.ContainerService/managedClusters"
        listed = self._told(lambda: list(self._arm.list(path, TYPES[_AKS].version)))
        return [each for each in listed if each.get("name") == self._target.cluster]

    def _authority(self, path: str, server: Any) -> str:
        """Asked for only where the connection is encrypted: simulated clusters have plain addresses."""
        if server is None or not server.url.startswith("https:"):
            return ""
        return authority_by(self._environment)(replace(server, id=path))

    def _locked(self, path: str) -> bool:
        """A lock on the cluster, its group or the subscription keeps it from being deleted."""
        locks = self._told(lambda: list(self._arm.list(f"{self._root}/providers/Microsoft.Authorization/locks", "2020-05-01")))
        scopes = (str(each["id"]).lower().partition("/providers/microsoft.authorization/locks/")[0] for each in locks)
        return any(f"{path.lower()}/".startswith(f"{scope}/") for scope in scopes)

    def _pools(self) -> Iterator[Thing]:
        cluster = self._described()
        if cluster is None:
            return
        for each in self._arm.list(f"{cluster['id']}/agentPools", TYPES[_POOL].version):
            properties = each.get("properties") or {}
            machine = catalog.find_machine("azure", str(properties.get("vmSize", "")))
            least = int(properties.get("minCount") or 0) if properties.get("enableAutoScaling") else 0
            yield Thing(
                kind=k.POOL, id=str(each["id"]), name=str(each.get("name")), why=f"agent pool of {self._target.cluster}",
                detail={
                    "gpu": (machine is None or machine.gpu_count > 0) and properties.get("mode") != "System", "minimum": least, "desired": 0,
                    "with_cluster": properties.get("mode") == "System",  # AKS refuses to delete the last one of a cluster
                    "running": int(properties.get("count") or 0), "leaving": properties.get("provisioningState") == "Deleting", "item": dict(each),
                },
            )  # fmt: skip

    def _tagged(self) -> Iterator[Thing]:
        """Resources, then groups; what stands in the nodes' group goes with its cluster as long as there is one."""
        exists = self._described() is not None
        found: list[Thing] = []
        for each in self._arm.list(f"{self._root}/resources", _LISTING):
            path = str(each["id"])
            in_nodes = bool(self._scope.group) and group_of(path).lower() == self._scope.group.lower()
            why = "in the nodes' own resource group" if in_nodes else self._whose(_tags(each))
            if why and not (in_nodes and exists):
                found.append(self._thing(path, each, why))
        yield from found
        groups = list(self._arm.list(f"{self._root}/resourcegroups", _LISTING))
        mine = [each for each in groups if self._whose(_tags(each)) or self._is_nodes_group(each)]
        yield from self._groups(mine, exists, {group_of(thing.id).lower() for thing in found if thing.kept})
        names = {str(each.get("name")) for each in mine} | {self._scope.group}
        foreign = {str(each.get("name")) for each in groups} - names
        yield from self._untagged.all(found, names, foreign)

    def _groups(self, mine: Collection[Mapping[str, Any]], exists: bool, holding: Collection[str]) -> Iterator[Thing]:
        """The target's resource groups; that of the nodes goes with the cluster as long as there is one."""
        for each in mine:
            path, nodes = str(each["id"]), self._is_nodes_group(each)
            if not (nodes and exists):
                kept = "holds data that is kept" if group_of(path).lower() in holding else ""
                why = self._whose(_tags(each)) or "the nodes' own resource group"
                yield Thing(kind=k.GROUP, id=path, name=str(each.get("name")), why=why, kept=kept, detail={"leaving": _leaving(each)})

    def _is_nodes_group(self, group: Mapping[str, Any]) -> bool:
        return bool(self._scope.group) and str(group.get("name")).lower() == self._scope.group.lower()

    def _thing(self, path: str, each: Mapping[str, Any], why: str) -> Thing:
        named = parse(path)
        kind = _KINDS.get(named[0].token.removeprefix("azure-native:"), k.OTHER) if named is not None else k.OTHER
        tags = _tags(each)
        kept = _DATA if kind in _KEPT_KINDS or _KEPT in tags else self._kept_disk(path, tags) if kind == k.VOLUME else ""
        price = azure_prices.monthly(kind, self._target.region)
        detail: dict[str, Any] = {"leaving": _leaving(each)}
        if named is not None and kind in (k.VOLUME, k.INTERFACE):
            shown = self._shown(path, named[0].version)
            price = azure_prices.disk(self._target.region, shown) if kind == k.VOLUME else price
            detail["attached"] = any((shown.get("properties") or {}).get(user) for user in ("virtualMachine", "privateEndpoint"))
        return Thing(kind=kind, id=path, name=str(each.get("name") or ""), why=why, monthly_usd=price, kept=kept, detail=detail)

    def _shown(self, path: str, version: str) -> dict[str, Any]:
        """What the list of everything leaves out; nothing for what has gone since."""
        try:
            return self._arm.get(path, version)
        except NotThere:
            return {}

    def _kept_disk(self, path: str, tags: Mapping[str, str]) -> str:
        policy = self._scope.policies.get(path.rsplit("/", 1)[-1])
        if policy == "Retain":
            return "its claim's policy is Retain"
        claimed = any("created-for-pvc" in key or "created-for/pvc" in key for key in tags)
        return "data of a claim whose reclaim policy nobody could ask for" if claimed and policy is None else ""

    def _whose(self, tags: Mapping[str, str]) -> str:
        stack, cluster = self._target.stack or self._scope.stack, self._target.cluster
        if stack and tags.get(_STACK):
            return f"tag {_STACK}={stack}" if tags[_STACK] == stack else ""
        return f"tag {_CLUSTER}={cluster}" if tags.get(_CLUSTER) == cluster else ""

    def _inside(self, group: str) -> list[str]:
        return [str(each["id"]) for each in self._arm.list(f"{group}/resources", _LISTING)]


_AUTOSCALER = frozenset(
    {"minCount", "maxCount", "provisioningState", "powerState", "currentOrchestratorVersion", "nodeImageVersion", "eTag"}
)
"""Bounds that a pool without autoscaling may not have, and what AKS alone writes (AKS REST reference, Agent Pools)."""


def _place(item: Mapping[str, Any]) -> str:
    return str(item.get("location", "")).replace(" ", "").lower()


def _tags(item: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in (item.get("tags") or {}).items()}


def _leaving(item: Mapping[str, Any]) -> bool:
    return (item.get("properties") or {}).get("provisioningState") == "Deleting"
