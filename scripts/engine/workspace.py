"""Where a run works: which engine, in which directory, with which environment, on which world."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import yaml

from scripts.engine.checkout import Checkout
from scripts.engine.locate import Engine
from scripts.errors import BadInput, Failed

World = Literal["sandbox", "real"]


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Everything that engine commands on any stack of a project need."""

    checkout: Checkout
    engine: Engine
    directory: Path
    """Holds Pulumi.yaml: the checkout itself, or the sandbox's copy of it."""
    environment: Mapping[str, str]
    world: World
    project: str

    @property
    def label(self) -> str:
        """Starts every line that tells of an action."""
        return f"[{self.world}]"

    @property
    def state_directory(self) -> Path | None:
        """Where the engine's file backend keeps state; None when the backend is elsewhere."""
        url = self.environment.get("PULUMI_BACKEND_URL", "")
        return Path(url.removeprefix("file://")).expanduser() if url.startswith("file://") else None


def project_name(directory: Path) -> str:
    """`name` of Pulumi.yaml. Raises BadInput when there is none."""
    path = directory / "Pulumi.yaml"
    try:
        content = yaml.safe_load(path.read_text())
        return str(cast("Mapping[str, object]", content)["name"])
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no Pulumi project file ({error}). Restore it from version control.") from error


def real_workspace(checkout: Checkout, engine: Engine | None) -> Workspace:
    """The checkout itself with the user's own environment. Raises Failed without an official engine: the real world takes no other."""
    if engine is None or not engine.official:
        raise Failed(
            "Real clouds take Pulumi's own release, and there is no `pulumi` with its language host on PATH. "
            "Install it (https://www.pulumi.com/docs/install/) and try again, or add --sandbox for the simulated clouds. Nothing was changed."
        )
    environment = {name: value for name, value in os.environ.items() if name != "GPUKIT_NOW"}
    environment |= {"PULUMI_DEBUG_COMMANDS": "1", "PULUMI_SKIP_UPDATE_CHECK": "true"}
    return Workspace(
        checkout=checkout,
        engine=engine,
        directory=checkout.root,
        environment=environment,
        world="real",
        project=project_name(checkout.root),
    )
