"""Kubeflow's TrainJob: what it says of its pods itself, and what stands in the runtime that it names.

Source: Kubeflow Trainer 2.3, TrainJob `trainer.kubeflow.org/v1alpha1`: `resourcesPerNode` stands in for the runtime's resources as a whole.
"""

from __future__ import annotations

from components.inventory import Container, Manifest, Pod
from components.unknown import Unknown
from policies.readers.values import OUTSIDE, texts, whole

from .containers import line, pairs

KIND = ("trainer.kubeflow.org", "TrainJob")
_AT = ("spec", "trainer")
_PATH = "spec.trainer"


def train_pods(manifest: Manifest) -> tuple[Pod, ...]:
    """The pods of the trainer, where it names their resources: volumes, tolerations and selectors are the runtime's."""
    if manifest.read(*_AT, "resourcesPerNode") is None:
        return ()
    path = manifest.at(_PATH)
    there = Unknown(manifest.at("spec.runtimeRef"), f"a training runtime, whose volumes and tolerations are {OUTSIDE}")
    nodes = whole(manifest.read(*_AT, "numNodes"), f"{path}.numNodes")
    container = Container(
        name="trainer",
        limits=texts(manifest.read(*_AT, "resourcesPerNode", "limits"), f"{path}.resourcesPerNode.limits"),
        requests=texts(manifest.read(*_AT, "resourcesPerNode", "requests"), f"{path}.resourcesPerNode.requests"),
        env=pairs(manifest, (*_AT, "env"), "name", "value"),
        arguments=line(manifest, _AT),
        mounts=there,
        path=path,
    )
    return (
        Pod(
            role="trainer",
            count=1 if nodes is None else nodes,
            containers=(container,),
            memory_volumes=there,
            host_paths=there,
            claims=there,
            tolerations=there,
            node_selector=there,
            bound_to_zone=there,
            labels=there,
            annotations=there,
            path=path,
        ),
    )
