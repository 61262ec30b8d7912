"""What readers give: facts of the inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from components.inventory import (
    AzureFact,
    Bucket,
    Chart,
    ControlPlane,
    Disk,
    FileSystem,
    GoogleFact,
    InterfaceEndpoint,
    Interfaces,
    Lost,
    MachineChoice,
    Nat,
    NodePool,
    PublicAddress,
    SecurityGroup,
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
    | Disk
    | Bucket
    | FileSystem
    | Chart
    | AzureFact
    | GoogleFact
    | Lost
)

Reader = Callable[[Resource, Program], Iterable[Fact]]
"""Facts about one resource, by its type token."""
ProgramReader = Callable[[Program], Iterable[Fact]]
"""Facts about things that no resource of the program stands for."""
