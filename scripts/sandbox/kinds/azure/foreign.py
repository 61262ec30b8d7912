"""Azure types that this world knows only by their schema: inputs are checked, an object is kept under a Resource Manager path."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from scripts.sandbox.kinds.kind import Kind, Order


def _name_input(token: str) -> str:
    """The input that names the object: the type's own name with `Name`, else the last that ends so."""
    from scripts.sandbox import sdk_schema

    schema = sdk_schema.resource(token)
    names = [name for name in (schema.inputs.shapes if schema else {}) if name.endswith("Name") and name != "resourceGroupName"]
    kind = token.rsplit(":", 1)[-1].lower()
    return next((name for name in names if name.lower() == f"{kind}name"), names[-1] if names else "name")


def _identify(order: Order) -> str:
    _, module, kind = order.token.split(":")
    provider = f"Microsoft.{module.partition('/')[0].capitalize()}"
    group = order.text("resourceGroupName")
    where = f"/subscriptions/{order.account}" + (f"/resourceGroups/{group}" if group else "")
    return f"{where}/providers/{provider}/{kind[0].lower()}{kind[1:]}s/{order.inputs.get(_name_input(order.token)) or order.name}"


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    from scripts.sandbox import sdk_schema

    schema = sdk_schema.resource(order.token)
    made = {"name": id_.rsplit("/", 1)[-1], "provisioningState": "Succeeded", "location": order.text("location")}
    return {name: value for name, value in made.items() if schema and name in schema.outputs and value}


@lru_cache(maxsize=256)
def foreign(token: str) -> Kind:
    name = _name_input(token)
    return Kind(
        token=token,
        identify=lambda order: order.before.id if order.before else _identify(order),
        outputs=_outputs,
        everywhere=True,
        auto_name=name if name != "name" else None,
        auto_form=lambda given, digits: f"{given}{digits}",
        replace=frozenset({name, "resourceGroupName", "location"}),
        generic=True,
    )
