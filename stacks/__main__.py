"""One stack file, one cluster: reads the settings, builds the cluster of their cloud, exports how to reach it."""

from __future__ import annotations

from importlib import import_module

import pulumi

from components.handle import ClusterHandle
from components.refusals import SpecErrors
from stacks import settings


def cluster() -> ClusterHandle:
    """The stack's cluster. Raises SpecErrors, before any resource, for a file that cannot be read or built."""
    here = settings.load()
    family = import_module(f"components.{here.spec.cloud}")  # only this cloud's SDK is loaded
    return family.build(here.spec, region=here.region, stack=here.stack)


try:
    built = cluster()
except SpecErrors as errors:
    raise pulumi.RunError(str(errors)) from errors  # the engine shows the text alone

pulumi.export("cluster", built.name)
pulumi.export("kubeconfig", built.kubeconfig)
pulumi.export("pools", [pool.name for pool in built.pools])
