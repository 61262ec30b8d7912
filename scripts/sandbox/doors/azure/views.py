"""Lists that are about no single object: subscriptions, features, cores in use, sizes on offer, quotas."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components import catalog
from components.catalog import Machine
from scripts.sandbox.kinds.azure import quota, sizes
from scripts.sandbox.kinds.azure.groups import registered
from scripts.sandbox.kinds.azure.identity import TENANT
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

PLENTY = 1_000_000
"""The limit of a quota that nobody declares."""
Json = dict[str, Any]


@dataclass(frozen=True)
class View:
    """One question: the world, the parts of the path, the query, the body of the request."""

    world: Simulation
    parts: Mapping[str, str]
    query: Mapping[str, list[str]]
    body: Mapping[str, Any]


def _subscription(world: Simulation) -> Json:
    own = world.account("azure")
    return {
        "id": f"/subscriptions/{own}",
        "subscriptionId": own,
        "displayName": "simulated",
        "state": "Enabled",
        "tenantId": TENANT,
        "authorizationSource": "RoleBased",
    }


def _subscriptions(view: View) -> Json:
    return {"value": [_subscription(view.world)]}


def _one_subscription(view: View) -> Json:
    return _subscription(view.world)


def _feature(view: View) -> Json:
    subscription, namespace, name = (view.parts[part] for part in ("subscription", "namespace", "name"))
    state = "Registered" if registered(view.world, subscription, namespace, name) else "NotRegistered"
    path = f"/subscriptions/{subscription}/providers/Microsoft.Features/providers/{namespace}/features/{name}"
    return {"id": path, "name": f"{namespace}/{name}", "type": "Microsoft.Features/providers/features", "properties": {"state": state}}


def _register(view: View) -> Json:
    """A registration lasts minutes in the cloud; here it is done at once."""
    feature = f"{view.parts['namespace']}/{view.parts['name']}"
    with view.world.store.transaction():
        view.world.store.set_meta(features=sorted({*view.world.store.meta("features", []), feature}))
        view.world.tick()
    return _feature(view)


def _namespace(view: View) -> Json:
    name = view.parts["namespace"]
    return {
        "id": f"/subscriptions/{view.parts['subscription']}/providers/{name}",
        "namespace": name,
        "registrationState": "Registered",
        "resourceTypes": [],
    }


def _quotas(view: View) -> Iterator[tuple[str, str, int, int]]:
    """Code, printed name, usage, limit of every quota of a region."""
    for each in catalog.quotas("azure"):
        allowed = quota.limit(view.world, each.code)
        used = quota.used(view.world, view.parts["subscription"], view.parts["location"], each.code)
        yield each.code, each.name, used, PLENTY if allowed is None else int(allowed)


def _usages(view: View) -> Json:
    listed = [
        {"name": {"value": code, "localizedValue": name}, "currentValue": used, "limit": allowed, "unit": "Count"}
        for code, name, used, allowed in _quotas(view)
    ]
    return {"value": listed}


def _scope(view: View) -> str:
    return f"/subscriptions/{view.parts['subscription']}/providers/Microsoft.Compute/locations/{view.parts['location']}"


def _quota_limit(view: View, code: str, name: str, allowed: int) -> Json:
    return {
        "id": f"{_scope(view)}/providers/Microsoft.Quota/quotas/{code}",
        "name": code,
        "type": "Microsoft.Quota/Quotas",
        "properties": {
            "limit": {"limitObjectType": "LimitValue", "limitType": "Independent", "value": allowed},
            "name": {"value": code, "localizedValue": name},
            "unit": "Count",
            "isQuotaApplicable": True,
        },
    }


def _quota_limits(view: View) -> Json:
    return {"value": [_quota_limit(view, code, name, allowed) for code, name, _, allowed in _quotas(view)]}


def _quota_usages(view: View) -> Json:
    listed = [
        {
            "id": f"{_scope(view)}/providers/Microsoft.Quota/usages/{code}",
            "name": code,
            "type": "Microsoft.Quota/Usages",
            "properties": {"usages": {"value": used}, "name": {"value": code, "localizedValue": name}, "unit": "Count"},
        }
        for code, name, used, _ in _quotas(view)
    ]
    return {"value": listed}


def _one_quota(view: View) -> Json:
    wanted = view.parts["quota"]
    found = next((each for each in _quotas(view) if each[0].replace(" ", "").lower() == wanted.replace(" ", "").lower()), None)
    if found is None:
        raise Refusal("NotFound", f"The quota {wanted} was not found.", source="Microsoft.Quota REST reference", status=404)
    code, name, _, allowed = found
    return _quota_limit(view, code, name, allowed)


def _ask_quota(view: View) -> Json:
    """A request for a higher limit is granted at once."""
    code = str(_one_quota(view)["name"])
    wanted = float(((view.body.get("properties") or {}).get("limit") or {}).get("value") or 0)
    with view.world.store.transaction():
        view.world.store.set_meta(quotas={**view.world.store.meta("quotas", {}), code: wanted})
    return _one_quota(view)


def _skus(view: View) -> Json:
    match = re.search(r"location eq '([^']+)'", " ".join(view.query.get("$filter", [])))
    location = match[1].lower() if match else ""
    regions = [location] if location else ["eastus"]
    listed = [_sku(view.world, each, where) for where in regions for each in catalog.machines("azure") if sizes.offered(each, where)]
    return {"value": listed}


def _sku(world: Simulation, machine: Machine, location: str) -> Json:
    capabilities = {
        "vCPUs": machine.vcpus,
        "MemoryGB": f"{machine.memory_gib:g}",
        "GPUs": int(machine.gpu_count) if machine.gpu_count >= 1 else machine.gpu_count,
        "RdmaEnabled": machine.fabric == "infiniband",
        "CpuArchitectureType": "x64" if machine.arch == "x86_64" else "Arm64",
    }
    return {
        "resourceType": "virtualMachines",
        "name": machine.name,
        "tier": "Standard",
        "size": machine.name.removeprefix("Standard_"),
        "family": machine.family,
        "locations": [location],
        "locationInfo": [{"location": location, "zones": list(sizes.zones(world, machine, location)), "zoneDetails": []}],
        "capabilities": [{"name": name, "value": str(value)} for name, value in capabilities.items()],
        "restrictions": [],
    }


_COMPUTE = r"/subscriptions/(?P<subscription>[^/]+)/providers/Microsoft\.Compute"
_LOCATION = rf"{_COMPUTE}/locations/(?P<location>[^/]+)"
_FEATURE = r"/subscriptions/(?P<subscription>[^/]+)/providers/Microsoft\.Features/providers/(?P<namespace>[^/]+)/features/(?P<name>[^/]+)"
_ROUTES: tuple[tuple[str, str, Callable[[View], Json]], ...] = (
    ("GET", r"/subscriptions", _subscriptions),
    ("GET", r"/subscriptions/(?P<subscription>[^/]+)", _one_subscription),
    ("GET", _FEATURE, _feature),
    ("POST", rf"{_FEATURE}/register", _register),
    ("GET", r"/subscriptions/(?P<subscription>[^/]+)/providers/(?P<namespace>[^/]+)", _namespace),
    ("POST", r"/subscriptions/(?P<subscription>[^/]+)/providers/(?P<namespace>[^/]+)/register", _namespace),
    ("GET", rf"{_LOCATION}/usages", _usages),
    ("GET", rf"{_COMPUTE}/skus", _skus),
    ("GET", rf"{_LOCATION}/providers/Microsoft\.Quota/quotas", _quota_limits),
    ("GET", rf"{_LOCATION}/providers/Microsoft\.Quota/usages", _quota_usages),
    ("GET", rf"{_LOCATION}/providers/Microsoft\.Quota/quotas/(?P<quota>[^/]+)", _one_quota),
    ("PUT", rf"{_LOCATION}/providers/Microsoft\.Quota/quotas/(?P<quota>[^/]+)", _ask_quota),
    ("PATCH", rf"{_LOCATION}/providers/Microsoft\.Quota/quotas/(?P<quota>[^/]+)", _ask_quota),
)


def route(method: str, path: str) -> tuple[Callable[[View], Json], Mapping[str, str]] | None:
    """The view that a path names, with the parts of it; None when it is about objects."""
    for verb, form, answer in _ROUTES:
        match = re.fullmatch(form, path, re.IGNORECASE) if verb == method else None
        if match is not None:
            return answer, match.groupdict()
    return None
