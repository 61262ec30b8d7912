"""Asks Google Cloud, real or simulated, what exists with a stack's identity."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from components.naming import tag_key
from scripts.engine.gcp_kinds import PLACED, READY, REPEATABLE, Placed, Where
from scripts.engine.gcp_session import Google, NoCredentials
from scripts.engine.lookup import Absent, Answer, CannotTell, Exists, Leftover
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed

_STACK, _RESOURCE, _KEPT = (tag_key("gcp", word) for word in ("stack", "resource", "kept"))
LONGEST_SECONDS = 1800
"""Longest that a cluster or a pool takes, with room to spare."""
_ROUTER_NAT = "gcp:compute/routerNat:RouterNat"
_BUDGET = "gcp:billing/budget:Budget"
_CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"


class GcpLookup:
    """Questions about `stack` in one project and region. `environment` holds credentials and, in the sandbox, the endpoint.

    Kinds without labels (networks, firewall rules, routers, node pools, service accounts) are found by their name or parent alone.
    """

    def __init__(
        self, *, stack: str, project: str, region: str, environment: Mapping[str, str], sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._stack = stack
        self._where = Where(project=project, region=region)
        self._google = Google(environment)
        self._look_seconds = 0.5 if self._google.endpoint else 15
        self._sleep = sleep
        self._special: Mapping[str, Callable[[PendingOperation], Answer]] = {
            _ROUTER_NAT: self._nat,
            _BUDGET: self._budget,
            _CHANNEL: self._channel,
        }

    def of(self, operation: PendingOperation, state: State) -> Answer:
        if operation.type in REPEATABLE:
            return Absent(REPEATABLE[operation.type])
        ask = self._special.get(operation.type) or self._by_path
        try:
            answer = ask(operation)
        except KeyError as missing:
            return CannotTell(f"its {missing.args[0]} is not in the state")
        except NoCredentials as error:
            raise _without_credentials() from error
        known = isinstance(answer, Exists) and set(answer.ids) <= state.ids
        return Absent("it is recorded already") if known else answer

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """A cluster takes minutes to come up, and refuses node pools until then; on its way out it refuses everything."""
        if operation.type not in READY:
            return
        ready, leaving = READY[operation.type]
        gone = operation.kind == "deleting"
        if gone and self._status(id_) != leaving:
            return
        end = time.monotonic() + LONGEST_SECONDS
        while self._status(id_) != (None if gone else ready):
            if time.monotonic() > end:
                raise Failed(
                    f"{operation.type} {id_} is not {'gone' if gone else 'ready'} after {LONGEST_SECONDS // 60} minutes. Try again later."
                )
            self._sleep(self._look_seconds)

    def _status(self, id_: str) -> str | None:
        found = self._google.get("container", f"/v1/{id_}")
        return str(found.get("status")) if found else None

    def outside(self, state: State) -> tuple[Leftover, ...]:
        try:
            left = [each for each in self._labelled() if not _recorded(each.name, state)]
        except NoCredentials as error:
            raise _without_credentials() from error
        return tuple(sorted(left, key=lambda each: each.name))

    def _labelled(self) -> Iterator[Leftover]:
        """Everything that carries the stack's label, kind by kind: Google has no list over all that needs no set-up."""
        project = self._where.project
        clusters = self._google.get("container", f"/v1/projects/{project}/locations/-/clusters") or {}
        for each in clusters.get("clusters", ()):
            name = f"projects/{project}/locations/{each['location']}/clusters/{each['name']}"
            yield from self._mine(name, each.get("resourceLabels"), ("gcp:container/cluster:Cluster",))
        for collection, kind in (("instances", ()), ("disks", ()), ("addresses", ("gcp:compute/address:Address",))):
            yield from self._in_compute(collection, kind)
        for page in self._google.pages("storage", "/storage/v1/b", project=project):
            for each in page.get("items", ()):
                yield from self._mine(str(each["name"]), each.get("labels"), ("gcp:storage/bucket:Bucket",))
        for page in self._google.pages("lustre", f"/v1/projects/{project}/locations/-/instances"):
            for each in page.get("instances", ()):
                yield from self._mine(str(each["name"]), each.get("labels"), ("gcp:lustre/instance:Instance",))

    def _in_compute(self, collection: str, types: tuple[str, ...]) -> Iterator[Leftover]:
        root = f"/compute/v1/projects/{self._where.project}/aggregated/{collection}"
        for page in self._google.pages("compute", root, filter=f"labels.{_STACK}={self._stack}"):
            for scope in page.get("items", {}).values():
                for each in scope.get(collection, ()):
                    yield from self._mine(str(each["selfLink"]).partition("/compute/v1/")[2], each.get("labels"), types)

    def _mine(self, name: str, labels: Mapping[str, str] | None, types: tuple[str, ...]) -> Iterator[Leftover]:
        labels = labels or {}
        if labels.get(_STACK) == self._stack:
            yield Leftover(name, labels.get(_RESOURCE, ""), types, kept=_KEPT in labels)

    def _by_path(self, operation: PendingOperation) -> Answer:
        kind = PLACED.get(operation.type)
        if kind is None:
            return CannotTell(f"gpukit does not know how to look for a {operation.type}")
        found = self._google.get(kind.service, kind.path(operation.inputs, self._where))
        if found is None:
            return Absent()
        return self._identified(operation, kind, found)

    def _identified(self, operation: PendingOperation, kind: Placed, found: Mapping[str, Any]) -> Answer:
        id_ = kind.id(operation.inputs, self._where)
        if kind.labels is not None and (found.get(kind.labels) or {}).get(_STACK) != self._stack:
            return CannotTell(f"{id_} exists and does not carry this stack's identity")
        return Exists((id_,))

    def _nat(self, operation: PendingOperation) -> Answer:
        """Cloud NAT is a part of its router."""
        inputs, where = operation.inputs, self._where
        router, region = str(inputs["router"]).rsplit("/", 1)[-1], inputs.get("region") or where.region
        found = self._google.get("compute", f"/compute/v1/projects/{where.project}/regions/{region}/routers/{router}") or {}
        there = any(nat.get("name") == inputs["name"] for nat in found.get("nats", ()))
        return Exists((f"{where.project}/{region}/{router}/{inputs['name']}",)) if there else Absent()

    def _budget(self, operation: PendingOperation) -> Answer:
        """Budgets get their name from Google: they are told apart by the name that people read."""
        wanted = operation.inputs["displayName"]
        pages = self._google.pages("budgets", f"/v1/billingAccounts/{operation.inputs['billingAccount']}/budgets")
        ids = [str(each["name"]) for page in pages for each in page.get("budgets", ()) if each.get("displayName") == wanted]
        return Exists(tuple(ids)) if ids else Absent()

    def _channel(self, operation: PendingOperation) -> Answer:
        wanted = operation.inputs["displayName"]
        pages = self._google.pages("monitoring", f"/v3/projects/{self._where.project}/notificationChannels")
        ids = [str(each["name"]) for page in pages for each in page.get("notificationChannels", ()) if each.get("displayName") == wanted]
        return Exists(tuple(ids)) if ids else Absent()


def _recorded(name: str, state: State) -> bool:
    return name in state.ids


def _without_credentials() -> Failed:
    return Failed(
        "There are no Google credentials here to see what exists. Nothing was changed. Sign in with `gcloud auth application-default login`."
    )
