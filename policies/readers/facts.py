"""What readers give: facts of the inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from components.inventory import (
    AddOn,
    AzureFact,
    Bucket,
    Chart,
    ClusterAccess,
    ControlPlane,
    Disk,
    FileSystem,
    GoogleFact,
    InterfaceEndpoint,
    Interfaces,
    LoadBalancer,
    Lost,
    MachineChoice,
    Manifest,
    Nat,
    NodePool,
    PublicAddress,
    Replacement,
    RouteTable,
    SecurityGroup,
    StackOutput,
    Subnet,
    Workload,
)
from components.resource import Resource

from .program import Program

Fact = (
    NodePool
    | MachineChoice
    | Interfaces
    | SecurityGroup
    | ControlPlane
    | Nat
    | InterfaceEndpoint
    | PublicAddress
    | LoadBalancer
    | Disk
    | Bucket
    | FileSystem
    | Chart
    | AzureFact
    | GoogleFact
    | AddOn
    | ClusterAccess
    | Manifest
    | Replacement
    | RouteTable
    | StackOutput
    | Subnet
    | Workload
    | Lost
)

Reader = Callable[[Resource, Program], Iterable[Fact]]
"""Facts about one resource, by its type token."""
ProgramReader = Callable[[Program], Iterable[Fact]]
"""Facts about things that no resource of the program stands for."""
