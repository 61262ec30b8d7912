from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scripts.plan.recording.order import ordered
from scripts.plan.recording.tape import Entry


def entry(name: str, *needs: str, parent: str = "") -> Entry:
    return Entry(urn=name, type="t", name=name, custom=True, parent=parent, dependencies=list(needs))


NEEDS = {"stack": (), "vpc": (), "subnet": ("vpc",), "cluster": ("subnet",), "pool": ("cluster", "subnet"), "chart": ("pool",), "key": ()}


def arrivals(draw: st.DataObject) -> list[Entry]:
    """The entries in one of the orders in which a program may register them: each after what it needs."""
    waiting, made = dict(NEEDS), list[Entry]()
    while waiting:
        ready = sorted(name for name, needs in waiting.items() if not set(needs) & set(waiting))
        name = draw.draw(st.sampled_from(ready))
        made.append(entry(name, *waiting.pop(name)))
    return made


@given(st.data())
def test_the_order_of_arrival_does_not_matter(draw: st.DataObject) -> None:
    assert [e.urn for e in ordered(arrivals(draw))] == ["key", "stack", "vpc", "subnet", "cluster", "pool", "chart"]


def test_children_follow_their_parents() -> None:
    assert [e.urn for e in ordered([entry("z"), entry("a", parent="z")])] == ["z", "a"]
