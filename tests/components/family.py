"""What the tests of every family start from: specs of two plain files, and the recording of what is built from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from components.resource import Resource, ResourceSet
from components.spec import ClusterSpec, InferenceSpec, TrainingSpec
from scripts.plan.recorder import record
from tests.components.patching import changed

_ADAPTER: TypeAdapter[TrainingSpec | InferenceSpec] = TypeAdapter(ClusterSpec)
"""Made once: it takes far longer than the reading."""


def spec(raw: Mapping[str, Any], patch: Mapping[str, Any] | None = None) -> TrainingSpec | InferenceSpec:
    return _ADAPTER.validate_python(changed(raw, patch or {}))


def only(resources: ResourceSet, type_: str, name: str = "") -> Resource:
    """The one resource of `type_` whose name ends in `name`."""
    found = [r for r in resources.of_type(type_) if r.name.endswith(name)]
    assert len(found) == 1, [r.name for r in resources.of_type(type_)]
    return found[0]


@dataclass(frozen=True, kw_only=True)
class Family:
    """One cloud's plain files (`gpukit:cluster`), and what builds them."""

    plain_training: Mapping[str, Any]
    plain_inference: Mapping[str, Any]
    region: str
    stack: str
    build: Callable[..., Any]

    def training(self, patch: Mapping[str, Any] | None = None) -> TrainingSpec:
        made = spec(self.plain_training, patch)
        assert isinstance(made, TrainingSpec)
        return made

    def inference(self, patch: Mapping[str, Any] | None = None) -> InferenceSpec:
        made = spec(self.plain_inference, patch)
        assert isinstance(made, InferenceSpec)
        return made

    def recorded(self, program: Callable[[], Any]) -> ResourceSet:
        """What `program` registers, in a preview of a new stack. Fails the test when the program fails."""
        recording = record(program, project="gpukit", stack=self.stack, config={}, directory=Path(__file__).parent)
        assert recording.error is None, recording.error
        return recording.resources

    def made_anew(self, spec: TrainingSpec | InferenceSpec) -> ResourceSet:
        return self.recorded(lambda: self.build(spec, region=self.region, stack=self.stack) and None)
