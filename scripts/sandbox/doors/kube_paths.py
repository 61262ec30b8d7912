"""Paths of a Kubernetes API server: what they name, and what discovery answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scripts.sandbox.doors import kube_names
from scripts.sandbox.simulation import Simulation

_NOT_BUILT = dict.fromkeys(("gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler"), "simulated")


@dataclass(frozen=True)
class Target:
    """What a path names: a kind of one API version, maybe in a namespace, maybe one object, maybe a part of it."""

    key: str
    api_version: str
    plural: str
    namespace: str = ""
    name: str = ""
    part: str = ""


def discovery(world: Simulation, key: str, path: list[str], version: str) -> dict[str, Any] | None:
    minor = version.split(".")[1] if "." in version else "0"
    match path:
        case [] | ["healthz"] | ["livez"] | ["readyz"]:
            return {"status": "ok"}
        case ["version"]:
            return {"major": "1", "minor": minor, "gitVersion": f"v{version}", "platform": "linux/amd64", **_NOT_BUILT}
        case ["api"]:
            return {"kind": "APIVersions", "versions": ["v1"]}
        case ["apis"]:
            groups: dict[str, list[str]] = {}
            for api_version in kube_names.kinds_in(world, key):
                if "/" in api_version:
                    groups.setdefault(api_version.split("/")[0], []).append(api_version)
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [_group(n, sorted(v)) for n, v in sorted(groups.items())]}
        case ["api", "v1"]:
            return {"kind": "APIResourceList", "groupVersion": "v1", "resources": kube_names.resources(world, key, "v1")}
        case ["apis", group]:
            versions = sorted(v for v in kube_names.kinds_in(world, key) if v.startswith(f"{group}/"))
            return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)} if versions else None
        case ["apis", group, number]:
            name = f"{group}/{number}"
            return {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": name,
                "resources": kube_names.resources(world, key, name),
            }
        case _:
            return None


def _group(name: str, versions: list[str]) -> dict[str, Any]:
    listed = [{"groupVersion": v, "version": v.split("/")[1]} for v in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[-1]}


def target_of(key: str, path: list[str]) -> Target:
    if path[0] == "api":
        api_version, rest = path[1], path[2:]
    else:
        api_version, rest = "/".join(path[1:3]), path[3:]
    if len(rest) >= 3 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    else:
        namespace = ""
    name, part = [*rest[1:3], "", ""][:2]
    return Target(key, api_version, rest[0] if rest else "", namespace, name, part)
