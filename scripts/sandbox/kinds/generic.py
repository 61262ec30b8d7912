"""Types that this world knows only by their schema: inputs are checked, an object is kept, outputs are plausible, nothing happens."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from scripts.sandbox.kinds.kind import Kind, Order

NOTE = "generic in the simulated world: schema checked, stored; the cloud's own rules for it are not simulated"


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    from scripts.sandbox import sdk_schema

    schema = sdk_schema.resource(order.token)
    names = schema.outputs if schema else frozenset[str]()
    service, _, kind = order.token.split(":")[1].partition("/")
    made: dict[str, Any] = {}
    if "arn" in names and order.token.startswith("aws:"):
        made["arn"] = order.arn(service, f"{kind.lower()}/{id_}")
    if "name" in names:
        made["name"] = order.text("name", order.name)
    return {name: value for name, value in made.items() if name not in order.inputs}


def _identify(order: Order) -> str:
    return order.text("name") or order.text("bucket") or f"{order.name}-{order.world.new_id('', 7)}"


@lru_cache(maxsize=512)
def generic(token: str) -> Kind:
    return Kind(token=token, identify=_identify, outputs=_outputs, generic=True)
