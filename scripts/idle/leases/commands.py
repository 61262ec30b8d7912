"""What `gpukit leases` does. Each function returns its exit code."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from components import clock, naming
from scripts.engine import checkout as checkouts
from scripts.engine.checkout import Checkout
from scripts.engine.commands import world_of
from scripts.errors import BadInput, Exit, GpukitError
from scripts.idle import worlds
from scripts.idle.act import printing, tagging
from scripts.idle.act.state import Store
from scripts.idle.collect import clouds, targets
from scripts.idle.leases.lease import Lease, new_day
from scripts.idle.leases.lease import extend as extend_file
from scripts.idle.rules import Rules


def leases(*, stacks: Sequence[str] = (), expired: bool = False, json_: bool = False) -> int:
    """List leases, or those alone that have ended."""
    here = checkouts.here()
    today = clock.now().date()
    found, unread = targets.targets(here, list(stacks) or list(here.stack_names()))
    listed = [
        Lease(stack=t.stack, cluster=t.cluster, owner=t.owner, expires=t.expires, ended=t.expires is not None and today > t.expires)
        for t in found
    ]
    printing.leases([lease for lease in listed if lease.ended or not expired], today=today, json_=json_)
    for each in unread:
        printing.complain(f"{each.stack}: {each.error}")
    if unread:
        return Exit.USAGE
    return Exit.NO if expired and any(lease.ended for lease in listed) else Exit.FINE


def extend(*, stack: str, to: str, sandbox: bool = False, json_: bool = False) -> int:
    """Give a lease a later last day: the stack file first, then the tag of its cluster."""
    here, world = checkouts.here(), world_of(sandbox=sandbox)
    target = targets.target(here, stack)
    day = new_day(to, today=clock.now().date(), now=target.expires)
    store = Store.of(here.local, world)
    with store.locked():
        extend_file(here.stack_file(stack), day)
        again = targets.target(here, stack)
        if again.expires != day:
            raise BadInput(f"{here.stack_file(stack).name} was written and reads as {again.expires}: correct its lease by hand.")
        problem = _tagged(here, world, again, day)
    printing.extended(stack, (target.expires, day), problem, world=world, json_=json_)
    return Exit.FAILED if problem is not None and not problem.startswith("no cluster") else Exit.FINE


def _tagged(here: Checkout, world: str, target: targets.Target, day: date) -> str | None:
    """Why the cluster's tag does not say the new day; None when it does. The next `up` would mend it."""
    asking = worlds.asking(here, world, Rules(), 60.0)
    try:
        worlds.refuse_other_account(world, target=target)
        found = clouds.look(target, asking.access, asking.now)
        if not found.there:
            return "no cluster of that name exists yet, so there is no tag to change"
        tagging.tag(target, found, {naming.tag_key(target.cloud, "expires"): day.isoformat()}, asking.access)
    except GpukitError as error:
        return str(error)
    return None
