"""The way from one stack's settings to its Azure cluster."""

from __future__ import annotations

import pulumi

from components.handle import ClusterHandle
from components.spec import InferenceSpec, TrainingSpec

from .inference import InferenceCluster, InferenceClusterArgs
from .provider import account_provider
from .training import TrainingCluster, TrainingClusterArgs


def build(spec: TrainingSpec | InferenceSpec, *, region: str, stack: str) -> ClusterHandle:
    """The cluster of `spec` under the stack's one Azure provider. Raises SpecErrors before the first resource."""
    if isinstance(spec, TrainingSpec):
        training = TrainingClusterArgs(spec=spec, region=region, stack=stack)
        return TrainingCluster(spec.name, training, _under(spec, region)).handle
    inference = InferenceClusterArgs(spec=spec, region=region, stack=stack)
    return InferenceCluster(spec.name, inference, _under(spec, region)).handle


def _under(spec: TrainingSpec | InferenceSpec, region: str) -> pulumi.ResourceOptions:
    return pulumi.ResourceOptions(providers=[account_provider(spec.account, region)])
