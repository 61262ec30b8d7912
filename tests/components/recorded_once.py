"""One recording of one spec: the clouds' SDKs take their time, and many tests look at the same cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps

from components.resource import ResourceSet
from components.spec import InferenceSpec, TrainingSpec

Make = Callable[[TrainingSpec | InferenceSpec], ResourceSet]


def once(make: Make) -> Make:
    """`make`, run once for each file and moment. `fabric: auto` means more than leaving it out, so what the file names is the key."""
    made: dict[tuple[str, str], ResourceSet] = {}

    @wraps(make)
    def remembered(spec: TrainingSpec | InferenceSpec) -> ResourceSet:
        key = (spec.model_dump_json(exclude_unset=True), os.environ.get("GPUKIT_NOW", ""))
        if key not in made:
            made[key] = make(spec)
        return made[key]

    return remembered
