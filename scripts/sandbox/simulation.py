"""The simulated world itself: store, clock, faults, and what creating, changing and deleting mean, whichever door asks."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from components import clock as program_clock
from scripts.sandbox import kinds
from scripts.sandbox.clock import DEFAULT_SPEED, Clock, stamp
from scripts.sandbox.faults import Faults
from scripts.sandbox.journal import Journal
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import ACCOUNTS, Place
from scripts.sandbox.refusal import NotReady
from scripts.sandbox.store import Record, Store
from scripts.sandbox.vault import Vault


@dataclass(frozen=True)
class Given:
    """What a door adds to an order: inputs with their secrets hidden (these go to the store), tags, and outputs of its own."""

    inputs: Mapping[str, Any]
    tags: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, Any] = field(default_factory=dict)
    seal: Callable[[Any], Any] = lambda made: made
    """Hides what a type's outputs repeat of the secrets among the inputs."""

    def sealed(self, outputs: Mapping[str, Any]) -> dict[str, Any]:
        """`outputs` as they may be kept: a type reads its inputs in plain, and gives some back in the cloud's own form."""
        return {name: self.seal(value) if name in self.inputs else value for name, value in outputs.items()}


class Simulation:
    """One world, living in the directory `home`. Every change is one journalled transaction; waiting happens outside of them."""

    def __init__(self, home: Path, *, speed: float = DEFAULT_SPEED, address: str = "http://127.0.0.1") -> None:
        self.home = home
        self.address = address
        """Where the API doors answer; cluster endpoints point there."""
        self.vault = Vault.at(home / "key")
        self.store = Store(Journal(home / "journal.jsonl"))
        self.clock = Clock(self._origin(), speed=speed)
        self.faults = Faults(self)
        self._finish_what_was_begun()

    def _origin(self) -> datetime:
        kept = self.store.meta("clock")
        if kept is None:
            origin = program_clock.now() if program_clock.in_sandbox() else program_clock.CATALOGUE_DATE
            with self.store.transaction():
                self.store.set_meta(clock=stamp(origin), seed=secrets.token_hex(8), serial=0)
        return datetime.fromisoformat(self.store.meta("clock"))

    def account(self, cloud: str) -> str:
        """The one account of a cloud: AWS account id, GCP project id, Azure subscription id."""
        return str(self.store.meta("accounts", {}).get(cloud, ACCOUNTS[cloud]))

    def allows(self, cloud: str, account: str) -> bool:
        """Whether this world's credentials open an account. Google's open many projects: any, while nobody declares one."""
        declared = self.store.meta("accounts", {})
        return account == self.account(cloud) if cloud in declared or cloud == "aws" else True

    @property
    def accounts(self) -> dict[str, str]:
        return {cloud: self.account(cloud) for cloud in ACCOUNTS}

    def tick(self) -> str:
        """The time as text, kept with the present transaction so that a restart does not turn it back."""
        now = self.clock.text()
        self.store.set_meta(clock=now)
        return now

    def new_id(self, prefix: str, digits: int = 17) -> str:
        """A fresh id such as `vpc-0a1b…`; never given twice in one world."""
        with self.store.transaction():
            serial = int(self.store.meta("serial", 0)) + 1
            self.store.set_meta(serial=serial)
        digest = hashlib.sha256(f"{self.store.meta('seed')}/{serial}".encode()).hexdigest()
        return f"{prefix}-{digest[:digits]}" if prefix else digest[:digits]

    # Objects, whoever asks for them

    def create(
        self,
        kind: Kind,
        order: Order,
        *,
        given: Given | None = None,
    ) -> Record:
        """Make an object: refused as the cloud would refuse it, then there (pending), then ready after its time.

        Raises Refusal (nothing was made), Injected, NotReady (made, but not up).
        """
        self.faults.before_create(order)
        with self.store.transaction():
            kind.admit(order)
            id_ = kind.identify(order)
            record = self._new_record(kind, order, id_, given or Given(order.inputs))
            kind.created(order, record)
        self.clock.spend(kind.create_seconds + self.faults.latency(order.token))
        record = self.settle(kind, record)
        self.faults.after_create(order)
        return record

    def _new_record(self, kind: Kind, order: Order, id_: str, given: Given) -> Record:
        outputs = given.sealed(kind.outputs(order, id_))
        status = kind.starting if kind.create_seconds > kind_is_quick else kind.starts
        state = {**given.also, **given.inputs, **outputs, **({"status": status} if isinstance(outputs.get("status"), str) else {})}
        return self.store.put(
            Record(
                kind=kind.token,
                key=order.place.key,
                id=id_,
                inputs=dict(given.inputs),
                state=state,
                created=self.tick(),
                status=status,
                tags=dict(given.tags),
            )
        )

    def settle(self, kind: Kind, record: Record) -> Record:
        """The object has had its time. Raises NotReady when it did not come up; it then stays with that status."""
        failure: NotReady | None = None
        with self.store.transaction():
            present = self.store.by_ref(record.ref)
            if present is None:
                raise NotReady("ResourceNotFoundException", f"{record.id} was deleted while it was coming up")
            try:
                kind.settle(self, present)
                self._set_status(present, kind.starts)
            except NotReady as error:
                failure = error
            self.tick()
        if failure is not None:
            raise failure
        return self.store.by_ref(record.ref) or record

    def _set_status(self, record: Record, status: str) -> None:
        present = self.store.by_ref(record.ref) or record
        if present.status != status:
            state = {**present.state, "status": status} if isinstance(present.state.get("status"), str) else present.state
            self.store.put(replace(present, status=status, state=state))

    def update(
        self,
        kind: Kind,
        order: Order,
        *,
        given: Given | None = None,
    ) -> Record:
        """Change `order.before` to the order's inputs."""
        before = order.before
        if before is None:
            raise ValueError("an update needs the record that it changes")
        self.faults.before_update(order)
        given = given or Given(order.inputs, tags=before.tags)
        kept = given.inputs
        with self.store.transaction():
            kind.admit(order)
            outputs = given.sealed(kind.outputs(order, before.id))
            moved = {n: v for n, v in outputs.items() if n in kind.moving or n not in before.state or n in kept or n in before.inputs}
            state = {**{n: v for n, v in before.state.items() if n not in before.inputs}, **given.also, **kept, **moved}
            record = self.store.put(replace(before, inputs=dict(kept), state=state, tags=dict(given.tags)))
            kind.updated(order, record)
            self.tick()
        self.clock.spend(min(kind.create_seconds, 60) + self.faults.latency(order.token))
        return self.settle(kind, record)

    def delete(self, kind: Kind, record: Record) -> None:
        """Remove an object and what goes with it. Raises Refusal when something still needs it."""
        self.faults.before_delete(record)
        with self.store.transaction():
            present = self.store.by_ref(record.ref)
            if present is None:
                return
            kind.releases(self, present)
        self.clock.spend(kind.delete_seconds)
        with self.store.transaction():
            present = self.store.by_ref(record.ref)
            if present is not None:
                kind.releases(self, present)
                kind.deleted(self, present)
                self.drop_tree(present)
            self.tick()

    def drop_tree(self, record: Record) -> None:
        """Remove a record with everything that it owns, in the open transaction."""
        for child in self.store.children(record):
            self.drop_tree(child)
        self.store.drop(record)

    def _finish_what_was_begun(self) -> None:
        """A killed server left objects half-way: the cloud would have gone on without it."""
        for record in list(self.store):
            kind = kinds.kind(record.kind)
            if record.status and record.status == kind.starting:
                try:
                    self.settle(kind, record)
                except NotReady:
                    continue

    def place(self, region: str, cloud: str = "aws") -> Place:
        return Place(cloud, self.account(cloud), region)

    def close(self) -> None:
        with self.store.transaction():
            self.tick()
        self.store.close()


kind_is_quick = 5.0
"""Objects that take less than this (simulated seconds) are there at once."""
