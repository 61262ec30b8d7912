"""What a registration answers in a preview: the inputs, but where a provider tells more, or in another shape, than was written.

What only the cloud will tell is unknown, also inside of a block that is known as a whole. Absent it would be nothing: a program that
reads the security group of a cluster would hand `None` on, and rules would judge that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from google.protobuf import struct_pb2

from .wire import UNKNOWN

AZURE = "azure-native:"
_IDENTITY, _USERS = "identity", "userAssignedIdentities"
"""Identities are written as a list of ids and read as a mapping, in a hundred modules of the SDK."""
TOLD_LATER: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "aws:eks/cluster:Cluster": {"vpcConfig": ("clusterSecurityGroupId", "vpcId"), "kubernetesNetworkConfig": ("serviceIpv6Cidr",)},
        "azure-native:containerservice:ManagedCluster": {"oidcIssuerProfile": ("issuerURL",)},
        "gcp:container/cluster:Cluster": {
            "masterAuth": ("clientCertificate", "clientKey", "clusterCaCertificate"),
            "privateClusterConfig": ("privateEndpoint", "publicEndpoint", "peeringName"),
        },
    }
)
"""Type to block to properties that the provider computes in it (the SDKs' schemas: read-only, or optional and computed)."""
_PRINCIPAL = ("principalId", "tenantId")
"""Of a system-assigned identity, in every module of azure-native."""


def echoed(type_: str, inputs: struct_pb2.Struct) -> struct_pb2.Struct:
    """The outputs of a resource that is registered with `inputs`; the same object where nothing differs."""
    later = [(block, name) for block, names in _later(type_, inputs) for name in names if name not in _block(inputs, block).fields]
    listed = type_.startswith(AZURE) and _USERS in _block(inputs, _IDENTITY).fields and _lists_identities(inputs)
    if not later and not listed:
        return inputs
    answer = struct_pb2.Struct()
    answer.CopyFrom(inputs)
    for block, name in later:
        answer.fields[block].struct_value.fields[name].string_value = UNKNOWN
    if listed:
        answer.fields[_IDENTITY].struct_value.fields[_USERS].string_value = UNKNOWN
    return answer


def _later(type_: str, inputs: struct_pb2.Struct) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Blocks of known shape, and what the cloud adds to each. One that is unknown as a whole stays so; one that is not written has none."""
    blocks = dict(TOLD_LATER.get(type_, {}))
    if type_.startswith(AZURE):
        blocks[_IDENTITY] = _PRINCIPAL
    yield from (
        (block, names) for block, names in blocks.items() if block in inputs.fields and inputs.fields[block].HasField("struct_value")
    )


def _block(inputs: struct_pb2.Struct, name: str) -> struct_pb2.Struct:
    """Asked for first: reading a field of a map that is not there would add it."""
    return inputs.fields[name].struct_value if name in inputs.fields else struct_pb2.Struct()


def _lists_identities(inputs: struct_pb2.Struct) -> bool:
    return inputs.fields[_IDENTITY].struct_value.fields[_USERS].HasField("list_value")
