"""Asks Azure, real or simulated, what exists with a stack's identity. Ids are paths made of names, which are decided before a create."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from components.naming import tag_key
from scripts.arm_paths import TYPES, ArmType, is_under, parse
from scripts.engine.azure_session import Arm, NoCredentials, NotThere
from scripts.engine.lookup import Absent, Answer, CannotTell, Exists, Leftover
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed

T = TypeVar("T")
_STACK, _RESOURCE, _KEPT = (tag_key("azure", word) for word in ("stack", "resource", "kept"))
_LISTING = "2021-04-01"
_GROUP = "azure-native:resources:ResourceGroup"
_CLUSTER, _POOL = "azure-native:containerservice:ManagedCluster", "azure-native:containerservice:AgentPool"
_SINGLETONS = frozenset({"azure-native:storage:BlobServiceProperties"})
"""Settings that are there with their parent: a second create changes nothing."""
_UNDER_WAY = frozenset({"creating", "updating", "accepted", "running", "upgrading", "scaling", "starting", "migrating"})
_LEAVING = "deleting"
_LONGEST_SECONDS = 3600
"""Longest that any of them takes, with room to spare: a Lustre file system, or a pool of slow machines."""


class AzureLookup:
    """Questions about `stack` in one subscription. `environment` holds credentials and, in the sandbox, the endpoint."""

    def __init__(
        self,
        *,
        stack: str,
        subscription: str,
        environment: Mapping[str, str],
        look_seconds: float = 15,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._stack = stack
        self._subscription = subscription
        self._arm = Arm(environment)
        self._look_seconds = look_seconds
        self._sleep = sleep

    def of(self, operation: PendingOperation, state: State) -> Answer:
        kind = TYPES.get(operation.type)
        if kind is None:
            return CannotTell(f"gpukit does not know how to look for a {operation.type}")
        if operation.type in _SINGLETONS:
            return Absent("putting these settings again changes nothing")
        if any(not isinstance(operation.inputs.get(name), str) for name in kind.inputs):
            return CannotTell("its name is not in the state")
        path = kind.path(self._subscription, operation.inputs)
        if path.lower() in {known.lower() for known in state.ids}:
            return Absent("the state holds it")
        return self._told(f"look for {path}", lambda: self._there(kind, path, operation))

    def _there(self, kind: ArmType, path: str, operation: PendingOperation) -> Answer:
        try:
            found = self._arm.get(path, kind.version)
        except NotThere:
            return Absent()
        wanted, given = operation.inputs.get("tags"), _tags(found)
        if isinstance(wanted, Mapping) and _STACK in wanted and given.get(_STACK) != self._stack:
            return CannotTell(f"{path} exists and does not carry this stack's identity")
        return Exists((path,))

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """Wait until it is up; one whose delete is under way: gone. Raises Failed when it never is."""
        kind = TYPES.get(operation.type)
        if kind is None:
            return
        deadline = time.monotonic() + _LONGEST_SECONDS
        while self._moving(kind, id_, operation.kind):
            if time.monotonic() > deadline:
                raise Failed(f"{operation.type} {id_} is still on its way after an hour. Nothing was changed. Look in the portal.")
            self._sleep(self._look_seconds)

    def _moving(self, kind: ArmType, id_: str, what: str) -> bool:
        try:
            found = self._told(f"see how {id_} is", lambda: self._arm.get(id_, kind.version))
        except NotThere:
            return False
        state = str((found.get("properties") or {}).get("provisioningState") or "").lower()
        return state == _LEAVING if what == "deleting" else state in _UNDER_WAY

    def outside(self, state: State) -> tuple[Leftover, ...]:
        known = frozenset(id_.lower() for id_ in state.ids if id_.startswith("/"))
        try:
            found = self._told("list what carries the stack's identity tags", self._tagged)
        except NotThere as error:
            raise Failed(f"Subscription {self._subscription} is not there for these credentials. Nothing was changed.") from error
        left = [_leftover(path, tags) for path, tags in found.items() if not _recorded(path, known)]
        left += [_leftover(path, tags) for path, tags in self._pools(found) if path.lower() not in known | _inline_pools(state)]
        return tuple(sorted(left, key=lambda leftover: leftover.name))

    def _tagged(self) -> dict[str, dict[str, str]]:
        """Paths with their tags: groups and resources. Parts such as subnets and node pools are in no list of Azure's; they have a parent."""
        condition = f"tagName eq '{_STACK}' and tagValue eq '{self._stack}'"
        where = f"/subscriptions/{self._subscription}"
        listed = [
            *self._arm.list(f"{where}/resourcegroups", _LISTING, condition),
            *self._arm.list(f"{where}/resources", _LISTING, condition),
        ]
        return {str(each["id"]): _tags(each) for each in listed if _tags(each).get(_STACK, self._stack) == self._stack}

    def _pools(self, found: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, dict[str, str]]]:
        """H9, K10: node pools of the clusters among `found`, which only AKS itself lists."""
        for path in found:
            named = parse(path)
            if named is None or named[0].token != _CLUSTER:
                continue
            listing = f"{path}/agentPools"
            for each in self._told(f"list the pools of {path}", lambda where=listing: list(self._arm.list(where, TYPES[_POOL].version))):
                if _tags(each).get(_STACK) == self._stack:
                    yield str(each["id"]), _tags(each)

    def _told(self, purpose: str, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except NoCredentials as error:
            raise Failed(f"Azure was not asked to {purpose}: nobody is signed in. Nothing was changed. `az login` signs in.") from error


def _tags(item: Mapping[str, Any]) -> dict[str, str]:
    return {str(k): str(v) for k, v in ((item.get("tags") or (item.get("properties") or {}).get("tags")) or {}).items()}


def _leftover(path: str, tags: Mapping[str, str]) -> Leftover:
    named = parse(path)
    types = (named[0].token,) if named is not None else ()
    return Leftover(path, tags.get(_RESOURCE, ""), types, kept=_KEPT in tags)


def _recorded(path: str, known: frozenset[str]) -> bool:
    """In the state, by itself or as part of something that is: a whole group of this stack's holds nothing but what is its own."""
    return path.lower() in known or any(is_under(path, each) for each in known if parse(each) is None or not _is_group(each))


def _inline_pools(state: State) -> frozenset[str]:
    """Paths of the pools that a cluster's own inputs hold."""
    clusters = [each for each in state.resources if each.get("type") == _CLUSTER]
    return frozenset(
        f"{each.get('id')}/agentPools/{profile.get('name')}".lower()
        for each in clusters
        for profile in (each.get("inputs") or {}).get("agentPoolProfiles") or ()
    )


def _is_group(path: str) -> bool:
    named = parse(path)
    return named is not None and named[0].token == _GROUP
