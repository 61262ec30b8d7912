"""The workspace of sandbox runs: the simulated world is up, the project is copied, the environment points at both."""

from __future__ import annotations

from scripts.engine import locate, sandbox_project
from scripts.engine.build import Progress
from scripts.engine.checkout import Checkout
from scripts.engine.environment import environment
from scripts.engine.workspace import Workspace, project_name

CLOCK = "GPUKIT_NOW"
"""The world's time for the program: a lease is judged by the clock that `gpukit sandbox advance` moves."""


def sandbox_workspace(checkout: Checkout, progress: Progress) -> Workspace:
    """Start the world of `checkout` unless it runs, and prepare a run on it. Raises Failed when engine or world cannot be had."""
    from scripts.sandbox.client import World

    engine = locate.ensure(progress)
    world = World.at(checkout.root)
    endpoints = world.start()
    directory = sandbox_project.refresh(checkout, engine)
    return Workspace(
        checkout=checkout,
        engine=engine,
        directory=directory,
        environment=environment(checkout, endpoints) | {CLOCK: world.now().isoformat()},
        world="sandbox",
        project=project_name(directory),
    )
