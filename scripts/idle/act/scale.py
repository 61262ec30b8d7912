"""Pools to zero and back: recorded first, queues held, looked at again, then resized, then verified.

Whatever is cut off is found by the next run: the record is on the disk before anything changes, and every step may be done twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scripts.errors import GpukitError
from scripts.idle.act import queues, watch
from scripts.idle.act.resize import resize, zero
from scripts.idle.act.state import Held, Remembered, Scaled, Store
from scripts.idle.collect import clouds
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Endpoint, Sizes, Wanted
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import Looked
from scripts.idle.verdict import Verdict

POLL_SECONDS = 15.0
NOTHING = "nothing was scaled to zero here, so nothing is brought back"
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Acting:
    """With what a run acts."""

    access: Access
    store: Store
    now: datetime
    say: Say
    wait_seconds: float = 600.0
    """How long to wait for machines to end."""
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, kw_only=True)
class Done:
    """What came of it."""

    stack: str
    acted: bool
    text: str
    left: int = 0
    """Machines, or after a destroy things of any kind, that should be gone and still bill."""
    error: str | None = None


def to_zero(looked: Looked, pools: Sequence[str], acting: Acting, judged_again: Callable[[], Verdict]) -> Done:
    """Scale `pools` of one cluster to zero.

    `judged_again` asks the cluster anew, after its queues are held: a job that began since the verdict stops the action.
    """
    target, found = looked.target, looked.found
    if found is None or found.sizes is None:
        return Done(stack=target.stack, acted=False, text="its pools are not known any more")
    chosen = {pool: found.sizes[pool] for pool in pools if pool in found.sizes}
    if not chosen:
        return Done(stack=target.stack, acted=False, text=f"{_listed(pools)}: the cloud lets none of them go to zero")
    held: tuple[Held, ...] = ()
    try:
        if found.endpoint is not None and set(chosen) >= set(_with_nodes(looked)):
            held = queues.to_hold(found.endpoint, target.cluster)
        before = _record(acting, target.stack, chosen, held)
        if held and found.endpoint is not None:
            acting.say(f"{target.stack}: holding {_listed([queue.name for queue in held])}")
            queues.hold(found.endpoint, target.cluster, held)
        still = {each.pool for each in judged_again().pools if each.resting}
        if not set(chosen) <= still:
            return _undone(looked, acting, before, held, sorted(set(chosen) - still))
        for pool, sizes in chosen.items():
            acting.say(f"{target.stack}: pool {pool} goes to zero ({sizes.desired} of {sizes.minimum} to {sizes.maximum} nodes)")
            resize(target, sizes, zero(sizes), acting.access)
        left = _left(target, list(chosen), acting)
    except GpukitError as error:
        return Done(
            stack=target.stack, acted=False, text="the action was cut off; the next run or `gpukit resume` goes on", error=str(error)
        )
    _finish(acting, target.stack)
    text = f"{_listed(list(chosen))} at zero; `gpukit resume {target.stack}` brings back {_sizes_text(chosen)}"
    return Done(stack=target.stack, acted=True, text=text, left=left)


def _with_nodes(looked: Looked) -> list[str]:
    """Queues may be held only when every pool that has nodes goes: held ones would stop the jobs of the others."""
    return [pool.name for pool in looked.cluster.pools or () if pool.current != 0]


def _record(acting: Acting, stack: str, chosen: Mapping[str, Sizes], held: tuple[Held, ...]) -> Remembered:
    """Write down what is about to change; gives what was remembered before.

    Sizes that are already recorded stay, unless somebody has raised the minimum since: it is zero because we made it so.
    """
    before = acting.store.of_stack(stack)
    scaled = {
        pool: Scaled(group=s.group, minimum=s.minimum, desired=s.desired, maximum=s.maximum, scales=s.scales, at=acting.now)
        for pool, s in chosen.items()
        if pool not in before.pools or s.minimum > before.pools[pool].minimum
    }
    names = {queue.name for queue in before.queues}
    fresh = tuple(queue for queue in held if queue.name not in names)
    parts = {"pools": {**before.pools, **scaled}, "queues": (*before.queues, *fresh), "begun": "scale to zero"}
    acting.store.write(stack, before.model_copy(update=parts))
    return before


def _undone(looked: Looked, acting: Acting, before: Remembered, held: tuple[Held, ...], busy: list[str]) -> Done:
    """Something began to use the pools while their queues were being held: give the queues back and leave."""
    given_back = (*(before.queues if before.begun else ()), *held)
    if given_back and looked.found is not None and looked.found.endpoint is not None:
        queues.release(looked.found.endpoint, looked.target.cluster, given_back)
    acting.store.write(looked.target.stack, before.model_copy(update={"queues": ()} if before.begun else {}))
    return Done(stack=looked.target.stack, acted=False, text=f"{_listed(busy)} no longer at rest: nothing was scaled")


def _finish(acting: Acting, stack: str) -> None:
    before = acting.store.of_stack(stack)
    acting.store.write(stack, before.model_copy(update={"begun": ""}))


def _left(target: Target, pools: Sequence[str], acting: Acting) -> int:
    """Machines of the pools that bill after the wait; a number that is not known counts as one."""
    waited = 0.0
    while True:
        found = clouds.look(target, acting.access, acting.now)
        counts = [1 if pool.current is None else pool.current for pool in found.pools or () if pool.name in pools]
        if not sum(counts) or waited >= acting.wait_seconds:
            return sum(counts)
        acting.say(f"{target.stack}: {sum(counts)} machines are ending")
        acting.sleep(POLL_SECONDS)
        waited += POLL_SECONDS


def resume(target: Target, acting: Acting) -> Done:
    """Bring back what `to_zero` or the idle watch recorded: pools first, then their queues. Repeatable, after a run that was cut off too."""
    remembered = acting.store.of_stack(target.stack)
    if not remembered.scaled and target.cloud != "aws":  # only there a watch may have recorded sizes where no file tells
        return Done(stack=target.stack, acted=False, text=NOTHING)
    try:
        found = clouds.look(target, acting.access, acting.now)
        pools = watch.joined(remembered.pools, found)
        if not pools and not remembered.queues:
            return Done(stack=target.stack, acted=False, text=NOTHING)
        if not found.there:
            _forget(acting, target.stack)
            return Done(stack=target.stack, acted=False, text="its cluster is gone: what was recorded is forgotten")
        notes = [_back(target, pool, scaled, (found.sizes or {}).get(pool), acting) for pool, scaled in pools.items()]
        watch.forget(target, found, acting.access)
        _release(found.endpoint, target.cluster, remembered)
    except GpukitError as error:
        return Done(stack=target.stack, acted=False, text="cut off; run it again", error=str(error))
    _forget(acting, target.stack)
    return Done(stack=target.stack, acted=True, text="; ".join(notes) or "its queues go on")


def _back(target: Target, pool: str, scaled: Scaled, now: Sizes | None, acting: Acting) -> str:
    """Sizes that somebody has set since are theirs; of a pool that grew by itself only the minimum comes back."""
    if now is None:
        return f"pool {pool} is gone"
    if now.minimum:
        return f"pool {pool} has a minimum of {now.minimum} nodes again and stays as it is"
    desired = scaled.desired if not now.desired else max(now.desired, scaled.minimum)
    maximum = max(now.maximum if now.scales else scaled.maximum, scaled.minimum, 1)
    wanted = Wanted(minimum=scaled.minimum, desired=min(desired, maximum), maximum=maximum, scales=scaled.scales)
    acting.say(f"{target.stack}: pool {pool} goes back to {wanted.desired} nodes ({wanted.minimum} to {wanted.maximum})")
    resize(target, now, wanted, acting.access)
    return f"pool {pool} back at {wanted.desired} nodes ({wanted.minimum} to {wanted.maximum})"


def _release(endpoint: Endpoint | None, cluster: str, remembered: Remembered) -> None:
    if remembered.queues and endpoint is not None:
        queues.release(endpoint, cluster, remembered.queues)


def _forget(acting: Acting, stack: str) -> None:
    """With the warning too: what was brought back gets a whole grace again."""
    before = acting.store.of_stack(stack)
    acting.store.write(
        stack, before.model_copy(update={"pools": {}, "queues": (), "begun": "", "warned_at": None, "acted_at": None, "action": ""})
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _sizes_text(chosen: Mapping[str, Sizes]) -> str:
    return ", ".join(f"{pool}: {sizes.desired} nodes ({sizes.minimum} to {sizes.maximum})" for pool, sizes in chosen.items())
