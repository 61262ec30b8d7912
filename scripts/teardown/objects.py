"""Reading an object's body out of a Thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.teardown.model import Thing


def body(thing: Thing) -> Mapping[str, Any]:
    """The object as its API server shows it. Raises KeyError for what is no object of a cluster."""
    return cast("Mapping[str, Any]", thing.detail["object"])


def labels(thing: Thing) -> Mapping[str, str]:
    return body(thing)["metadata"].get("labels") or {}


def replicas(thing: Thing) -> int:
    """How many pods it wants; one where it does not say (Kubernetes API, DeploymentSpec)."""
    wanted = (body(thing).get("spec") or {}).get("replicas")
    return 1 if wanted is None else int(wanted)


def finalizers(thing: Thing) -> tuple[str, ...]:
    return tuple(str(each) for each in body(thing)["metadata"].get("finalizers") or ())
