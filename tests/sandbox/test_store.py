from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.sandbox.journal import Journal
from scripts.sandbox.store import Record, Store


def store(home: Path) -> Store:
    return Store(Journal(home / "journal.jsonl"))


def record(id_: str = "a", *, kind: str = "k", parent: Record | None = None, **state: object) -> Record:
    return Record(kind=kind, key="place", id=id_, state=state, parent=parent.ref if parent else None)


def everything(of: Store) -> dict[str, Record]:
    return {r.ref: r for r in of}


OPERATIONS = st.lists(st.tuples(st.sampled_from(["put", "drop"]), st.sampled_from("abcd"), st.integers(0, 9)), max_size=25)


@given(operations=OPERATIONS)
def test_a_store_read_again_without_closing_the_first_holds_the_same(
    tmp_path_factory: pytest.TempPathFactory, operations: list[tuple[str, str, int]]
):
    home = tmp_path_factory.mktemp("store")
    first = store(home)
    for what, id_, number in operations:
        with first.transaction():
            first.put(record(id_, number=number)) if what == "put" else first.drop(record(id_))
    assert everything(store(home)) == everything(first)


def test_a_failed_transaction_changes_nothing_in_memory_or_on_disk(tmp_path: Path):
    first = store(tmp_path)
    with first.transaction():
        kept = first.put(record("a", n=1))

    def fail_late() -> None:
        with first.transaction():
            first.put(record("a", n=2))
            first.put(record("b"))
            first.drop(record("a"))
            first.set_meta(x=1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_late()
    assert everything(first) == everything(store(tmp_path)) == {kept.ref: kept}
    assert first.meta("x") is None


def test_nested_transactions_are_one(tmp_path: Path):
    first = store(tmp_path)

    def fail_outside() -> None:
        with first.transaction():
            with first.transaction():
                first.put(record("inner"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_outside()
    assert len(first) == 0


def test_changes_outside_of_a_transaction_are_a_programming_error(tmp_path: Path):
    with pytest.raises(RuntimeError, match="transaction"):
        store(tmp_path).put(record())


def test_children_follow_their_parent_through_a_restart(tmp_path: Path):
    first = store(tmp_path)
    with first.transaction():
        parent = first.put(record("p"))
        child = first.put(record("c", parent=parent))
    again = store(tmp_path)
    assert again.children(parent) == [child]
    with again.transaction():
        again.drop(child)
    assert again.children(parent) == []


def test_many_threads_write_and_nothing_is_lost(tmp_path: Path):
    first = store(tmp_path)

    def write(worker: int) -> None:
        for number in range(25):
            with first.transaction():
                count = int(first.meta("count", 0))
                first.set_meta(count=count + 1)
                first.put(record(f"{worker}-{number}"))

    workers = [threading.Thread(target=write, args=(w,)) for w in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert first.meta("count") == 200
    assert everything(store(tmp_path)) == everything(first)
    assert len(first) == 200
