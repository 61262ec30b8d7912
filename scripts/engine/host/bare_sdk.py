"""The SDK's gRPC messages without the SDK: importing all of `pulumi` takes as long as the rest of the host's start, twice in a run."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType


def hide_the_sdk() -> None:
    """From now on `pulumi.runtime.proto` imports its generated modules alone. Only in a process that runs no program, before `pulumi` is there."""
    spec = find_spec("pulumi")
    for place in spec.submodule_search_locations or () if spec is not None and "pulumi" not in sys.modules else ():
        _stand_in("pulumi", Path(place))
        _stand_in("pulumi.runtime", Path(place) / "runtime")


def _stand_in(name: str, directory: Path) -> None:
    """A package whose own code does not run, though its modules are found."""
    package = ModuleType(name)
    package.__path__ = [str(directory)]
    sys.modules[name] = package
