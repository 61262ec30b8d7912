"""How clusters are asked and acted upon in a world: the real clouds, or the simulated ones of this checkout."""

from __future__ import annotations

import sys
from collections.abc import Collection
from datetime import UTC, datetime

from scripts.engine.checkout import Checkout
from scripts.errors import BadInput, GpukitError
from scripts.idle.act import printing
from scripts.idle.act.run import Orders
from scripts.idle.act.scale import Acting, Done
from scripts.idle.act.state import Store
from scripts.idle.collect import prometheus
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.targets import Target
from scripts.idle.collect.together import Asking
from scripts.idle.intent import Reach
from scripts.idle.rules import Rules
from scripts.teardown.model import Thing, usd_text


def asking(here: Checkout, world: str, rules: Rules, step_seconds: float) -> Asking:
    """How clusters of a world are asked. Raises BadInput for a step that no endpoint serves."""
    if not 1 <= step_seconds <= 300:
        raise BadInput(f"--step is {step_seconds:g} seconds: give 1 to 300, the interval at which the endpoint scrapes or more.")
    if world == "real":
        return Asking(
            access=Access(),
            metering=lambda target: prometheus.named(target.cluster, target.stack),
            rules=rules,
            now=datetime.now(UTC),
            step_seconds=step_seconds,
            cloud_metrics=True,
        )
    from scripts.engine.environment import environment
    from scripts.sandbox.client import World

    simulated = World.at(here.root)
    endpoints = simulated.start()
    return Asking(
        access=Access(environment=environment(here, endpoints), sandbox=True),
        metering=lambda target: prometheus.Metrics(url=f"{endpoints.http}/prometheus", match=f'cluster="{target.cluster}"'),
        rules=rules,
        now=simulated.now(),
        step_seconds=step_seconds,
        cloud_metrics=True,
    )


def acting(store: Store, asking: Asking, wait_minutes: float) -> Acting:
    """How they are acted upon: by the same ways, everything asked anew."""
    return Acting(access=asking.access.fresh(), store=store, now=asking.now, say=printing.say, wait_seconds=wait_minutes * 60)


def orders(here: Checkout, world: str, reach: Reach, *, act: bool) -> Orders:
    """What a run may do; `act` False: it only tells."""
    return Orders(
        reach=reach,
        tell=True,
        act=act,
        destroy=lambda stack: destroy(here, world, stack),
        before_acting=lambda looked: refuse_other_account(world, target=looked.target),
        simulated=world == "sandbox",
    )


def refuse_other_account(world: str, *, target: Target) -> None:
    """The simulated clouds refuse another account by themselves."""
    if world == "sandbox":
        return
    from scripts.engine import identity

    identity.refuse_other_account(cloud=target.cloud, account=target.account, region=target.region, stack=target.stack)


def destroy(here: Checkout, world: str, stack: str) -> Done:
    """The whole teardown with its own look beforehand, order, journal and second inventory; nothing is forced and data is kept."""
    from scripts.engine.show import Show
    from scripts.teardown import unattended

    try:
        ending = unattended.end(here, stack=stack, world="sandbox" if world == "sandbox" else "real", show=Show(f"[{world}]"))
    except GpukitError as error:
        return Done(stack=stack, acted=False, text="not destroyed, or not to the end", error=str(error))
    sys.stderr.write(ending.text() + "\n")
    if ending.residue:
        return Done(
            stack=stack,
            acted=False,
            text=f"destroyed but for what is listed above; `gpukit teardown {stack}` or the next run goes on",
            left=len(ending.residue),
        )
    return Done(stack=stack, acted=True, text=f"destroyed{_kept(ending.kept)}")


def _kept(kept: Collection[Thing]) -> str:
    price = usd_text(kept)
    return f"; kept on purpose: {len(kept)}{f', {price}' if price else ''}" if kept else ""
