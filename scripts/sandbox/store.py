"""One store for all simulated clouds: records in memory, every transaction in the journal first."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from scripts.sandbox.journal import Journal

Ref = str
"""`kind|key|id` of a record."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One object of a simulated cloud.

    `kind` is its Pulumi type token; `key` the place it lives in (`aws/ACCOUNT/REGION`, `k8s/aws/ACCOUNT/REGION/CLUSTER`);
    `inputs` what was asked for, `state` what is, both in the provider's spelling; `status` the cloud's own word.
    """

    kind: str
    key: str
    id: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""
    status: str = ""
    parent: Ref | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> Ref:
        return f"{self.kind}|{self.key}|{self.id}"

    def with_state(self, **changes: Any) -> Record:
        return replace(self, state={**self.state, **changes})


class Store:
    """Records by reference, with look-up by kind, place and parent. Changes happen in transactions: all of one or nothing."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.RLock()
        self._records: dict[Ref, Record] = {}
        self._by_kind: dict[tuple[str, str], dict[str, Record]] = {}
        self._children: dict[Ref, dict[Ref, None]] = {}
        self._meta: dict[str, Any] = {}
        self._open: dict[str, Any] | None = None
        for entry in journal.read():
            self._replay(entry)
        journal.compact({"put": [asdict(r) for r in self._records.values()], "meta": self._meta})

    def _replay(self, entry: Mapping[str, Any]) -> None:
        for fields in entry.get("put", ()):
            self._place(Record(**fields))
        for ref in entry.get("drop", ()):
            self._remove(ref)
        self._meta.update(entry.get("meta", {}))

    def _place(self, record: Record) -> None:
        self._remove(record.ref)
        self._records[record.ref] = record
        self._by_kind.setdefault((record.kind, record.key), {})[record.id] = record
        if record.parent:
            self._children.setdefault(record.parent, {})[record.ref] = None

    def _remove(self, ref: Ref) -> None:
        record = self._records.pop(ref, None)
        if record is None:
            return
        self._by_kind[record.kind, record.key].pop(record.id, None)
        if record.parent:
            self._children.get(record.parent, {}).pop(ref, None)

    @contextmanager
    def transaction(self) -> Generator[Store]:
        """Look and change alone. What was changed is in the journal when the block ends; an exception undoes all of it.

        Transactions may nest: the outermost one counts.
        """
        with self._lock:
            if self._open is not None:
                yield self
                return
            self._open = {"undo": [], "put": {}, "drop": {}, "meta": {}, "old_meta": dict(self._meta)}
            try:
                yield self
                self._write(self._open)
            except BaseException:
                self._undo(self._open)
                raise
            finally:
                self._open = None

    def _write(self, changes: dict[str, Any]) -> None:
        entry: dict[str, Any] = {}
        if changes["put"]:
            entry["put"] = [asdict(r) for r in changes["put"].values()]
        if changes["drop"]:
            entry["drop"] = list(changes["drop"])
        if changes["meta"]:
            entry["meta"] = changes["meta"]
        if entry:
            self._journal.append(entry)

    def _undo(self, changes: dict[str, Any]) -> None:
        for ref, before in reversed(changes["undo"]):
            if before is None:
                self._remove(ref)
            else:
                self._place(before)
        self._meta = changes["old_meta"]

    def put(self, record: Record) -> Record:
        changes = self._changes()
        changes["undo"].append((record.ref, self._records.get(record.ref)))
        changes["drop"].pop(record.ref, None)
        changes["put"][record.ref] = record
        self._place(record)
        return record

    def drop(self, record: Record) -> None:
        changes = self._changes()
        changes["undo"].append((record.ref, self._records.get(record.ref)))
        changes["put"].pop(record.ref, None)
        changes["drop"][record.ref] = None
        self._remove(record.ref)

    def set_meta(self, **values: Any) -> None:
        self._changes()["meta"].update(values)
        self._meta.update(values)

    def _changes(self) -> dict[str, Any]:
        if self._open is None:
            raise RuntimeError("changes to the simulated world belong into a transaction")
        return self._open

    def meta(self, name: str, default: Any = None) -> Any:
        return self._meta.get(name, default)

    def get(self, kind: str, key: str, id_: str) -> Record | None:
        with self._lock:
            return self._by_kind.get((kind, key), {}).get(id_)

    def by_ref(self, ref: Ref | None) -> Record | None:
        with self._lock:
            return self._records.get(ref) if ref else None

    def of_kind(self, kind: str, key: str) -> list[Record]:
        """Records of one kind in one place, ordered by id."""
        with self._lock:
            return [r for _, r in sorted(self._by_kind.get((kind, key), {}).items())]

    def in_place(self, key: str) -> list[Record]:
        with self._lock:
            return [r for (_, place), records in self._by_kind.items() if place == key for r in records.values()]

    def clouds(self) -> set[str]:
        """Names of the clouds in which there is anything."""
        with self._lock:
            return {place.removeprefix("k8s/").partition("/")[0] for (_, place), records in self._by_kind.items() if records}

    def children(self, record: Record) -> list[Record]:
        with self._lock:
            return [self._records[ref] for ref in self._children.get(record.ref, ())]

    def __iter__(self) -> Iterator[Record]:
        with self._lock:
            return iter(list(self._records.values()))

    def __len__(self) -> int:
        return len(self._records)

    def close(self) -> None:
        with self._lock:
            self._journal.close()
