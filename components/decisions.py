"""What every family settles before the first resource, and what stands in the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import pulumi

from components.catalog import Cloud
from components.handle import ClusterHandle
from components.naming import Identity
from components.refusals import SpecError, SpecErrors
from components.spec import InferenceSpec, TrainingSpec
from components.spec import checks as spec_checks
from components.spec.paths import overlaps


@dataclass(frozen=True, kw_only=True)
class Decisions(ABC):
    """The specification of a cluster and the stack that it belongs to. Raises SpecErrors with everything that cannot be built."""

    spec: TrainingSpec | InferenceSpec
    region: str
    stack: str
    cloud: ClassVar[Cloud]

    def __post_init__(self) -> None:
        if found := self.refused():
            raise SpecErrors(f"stacks/Pulumi.{self.stack}.yaml", found)

    @abstractmethod
    def refused(self) -> list[SpecError]:
        """What the family or its cloud would refuse."""

    @cached_property
    def identity(self) -> Identity:
        return Identity(cloud=self.cloud, stack=self.stack, cluster=self.spec.name, user_tags=self.spec.tags)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What stands in the end."""

    handle: ClusterHandle
    outputs: dict[str, pulumi.Output[str]]
    """Of the component that holds it."""


def all_refusals(unsound: list[SpecError], unbuilt: list[SpecError], unfit: Callable[[], list[SpecError]]) -> list[SpecError]:
    """Everything at once: what is not built hides nothing that is wrong elsewhere. Only sound pools that are built can be measured."""
    if unsound or any(error.path.startswith("pools") for error in unbuilt):
        return [*unsound, *unbuilt]
    return [*unbuilt, *(error for error in unfit() if not any(overlaps(error.path, gap.path) for gap in unbuilt))]


def unsound(spec: TrainingSpec | InferenceSpec, region: str) -> list[SpecError]:
    """What is wrong with the specification on any cloud, or by the catalogue."""
    return [verdict.error for verdict in spec_checks.check(spec, region=region)]
