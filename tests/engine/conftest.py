"""Projects of their own on the real engine: the shipped stacks on simulated clouds, and a toy project with a provider of its own."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from scripts.engine import engine_lock, locate, sandbox_project
from scripts.engine.checkout import Checkout
from scripts.engine.environment import environment
from scripts.engine.locate import Engine
from scripts.engine.lookup import CannotTell, Leftover
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action, Job, PolicyPack, act
from scripts.engine.show import Show
from scripts.engine.workspace import Workspace, project_name
from scripts.errors import Exit
from tests.engine.clouds import Clouds, copy_of_the_project
from tests.engine.toy_provider import Shelf, serving

PROGRAM = """
import os, sys, time
import pulumi

class Thing(pulumi.CustomResource):
    def __init__(self, name, opts=None):
        super().__init__("toy:index:Thing", name, {"size": 3}, opts)

class Part(pulumi.ComponentResource):
    def __init__(self, name):
        super().__init__("toy:index:Part", name, {})
        Thing(f"{name}-thing", pulumi.ResourceOptions(parent=self))
        self.register_outputs({})

mode = pulumi.Config().get("mode") or ""
Part("first")
if mode == "two":
    Part("second")
if mode == "protect":
    Thing("kept", pulumi.ResourceOptions(protect=True))
if mode == "many":
    for number in range(40):
        Thing(f"thing-{number}")
if mode == "raise":
    raise ValueError("broken on purpose")
if mode == "error":
    raise pulumi.RunError("the stack file is wrong")
if mode == "exit":
    os._exit(7)
if mode == "sleep" and not pulumi.runtime.is_dry_run():
    open(os.environ["GPUKIT_TEST_MARK"], "w").write(str(os.getpid()))
    time.sleep(120)
pulumi.export("answer", 42)
pulumi.export("password", pulumi.Output.secret("canary-secret"))
"""

PACK = """
import os
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy, StackValidationPolicy

def no_second(args, report):
    if args.name.startswith("second"):
        report(f"{args.name} in stack {os.environ['PULUMI_STACK']} of {os.environ['PULUMI_PROJECT']}")

PolicyPack("toys", [ResourceValidationPolicy("no-second", "One part is enough.", no_second, EnforcementLevel.MANDATORY)])
"""


@pytest.fixture(scope="session")
def engine() -> Engine:
    found = locate.find()
    if found is None:
        pytest.skip("no Pulumi engine on this machine: `make up` or `python -m scripts.engine.locate` builds one once")
    return found


@pytest.fixture
def clouds(tmp_path: Path, engine: Engine) -> Iterator[Clouds]:
    """The shipped stacks in a checkout of their own, with a simulated world of their own."""
    made = Clouds(copy_of_the_project(tmp_path / "checkout"))
    try:
        yield made
    finally:
        made.world.stop()


@dataclass(frozen=True)
class Endpoints:
    providers: dict[str, int]
    http: str = "http://127.0.0.1:9"


@dataclass
class Lookup:
    """Answers by logical name; nothing can be told of other names."""

    answers: dict[str, Any] = field(default_factory=dict)
    leftovers: tuple[Leftover, ...] = ()
    settled: list[str] = field(default_factory=list)

    def of(self, operation: Any, _state: Any) -> Any:
        return self.answers.get(operation.name, CannotTell("nobody knows"))

    def settle(self, _operation: Any, id_: str) -> None:
        self.settled.append(id_)

    def outside(self, _state: Any) -> tuple[Leftover, ...]:
        return self.leftovers


@dataclass
class Toy:
    """Runs actions on the stack `dev` of the toy project."""

    checkout: Checkout
    engine: Engine
    shelf: Shelf
    port: int
    lookup: Lookup = field(default_factory=Lookup)
    said: StringIO = field(default_factory=StringIO)
    approve: Callable[[Outcome], bool] = lambda _: True

    def workspace(self) -> Workspace:
        directory = sandbox_project.refresh(self.checkout, self.engine)
        made = environment(self.checkout, Endpoints({"toy": self.port})) | {"GPUKIT_TEST_MARK": str(self.mark)}
        return Workspace(
            checkout=self.checkout,
            engine=self.engine,
            directory=directory,
            environment=made,
            world="sandbox",
            project=project_name(directory),
        )

    def job(self, action: Action, *, pack: bool = False) -> Job:
        workspace = self.workspace()
        return Job(
            action=action,
            stack="dev",
            workspace=workspace,
            lookup=self.lookup,
            pack=PolicyPack(directory=workspace.directory / "policies") if pack else None,
            approve=self.approve,
            show=Show("[sandbox]", self.said),
        )

    def act(self, action: Action, *, pack: bool = False) -> Outcome:
        return act(self.job(action, pack=pack))

    def mode(self, mode: str) -> None:
        self.checkout.stack_file("dev").write_text(f"config:\n  toyproject:mode: {mode}\n")

    @property
    def mark(self) -> Path:
        return self.checkout.root / "program-runs"

    @property
    def state_file(self) -> Path:
        return self.checkout.sandbox_state / ".pulumi" / "stacks" / "toyproject" / "dev.json"

    def processes(self) -> list[str]:
        """Command lines of every process of this project's runs."""
        home = f"PULUMI_HOME={self.checkout.sandbox / 'pulumi-home'}".encode()
        found: list[str] = []
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                if home in (directory / "environ").read_bytes().split(b"\0"):
                    found.append((directory / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue  # it has just ended
        return found

    def engine_process(self) -> int:
        """The engine that holds the stack's lock."""
        (lock,) = engine_lock.locks(self.checkout.sandbox_state, project="toyproject", stack="dev")
        return lock.pid


def soon(happened: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether `happened` within a while that is far longer than it takes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happened():
            return True
        time.sleep(0.05)
    return False


def meanwhile(when: Callable[[], bool], do: Callable[[], None]) -> threading.Thread:
    """Runs `do` in the background once `when` holds: a run itself needs the main thread for its signals."""

    def work() -> None:
        if soon(when, 180):
            do()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@contextmanager
def toy_at(root: Path, engine: Engine) -> Generator[Toy]:
    (root / "stacks").mkdir(parents=True)
    (root / "policies").mkdir()
    (root / ".venv").symlink_to(sys.prefix)
    (root / "Pulumi.yaml").write_text(
        "name: toyproject\nmain: stacks\nstackConfigDir: stacks\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
    )
    (root / "stacks" / "__main__.py").write_text(PROGRAM)
    (root / "policies" / "PulumiPolicy.yaml").write_text("runtime: {name: python, options: {virtualenv: ../.venv}}\nversion: 0.1.0\n")
    (root / "policies" / "__main__.py").write_text(PACK)
    shelf = Shelf()
    with serving(shelf) as port:
        made = Toy(Checkout(root), engine, shelf, port)
        made.mode("plain")
        yield made


@pytest.fixture
def toy(tmp_path: Path, engine: Engine) -> Iterator[Toy]:
    with toy_at(tmp_path / "project", engine) as made:
        yield made


@dataclass(frozen=True)
class Past:
    """What a run that many tests begin with has left behind: in its checkout, and with the provider."""

    local: Path
    things: dict[str, dict[str, Any]]
    made: list[str]

    @classmethod
    def of(cls, toy: Toy) -> Past:
        return cls(toy.checkout.local, dict(toy.shelf.things), list(toy.shelf.made))

    def given_to(self, toy: Toy) -> Toy:
        """`toy`, as if the run had been its own."""
        shutil.copytree(self.local, toy.checkout.local, symlinks=True)
        toy.shelf.things.update(self.things)
        toy.shelf.made.extend(self.made)
        return toy


@pytest.fixture(scope="session")
def a_first_up(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Past:
    with toy_at(tmp_path_factory.mktemp("first-up") / "project", engine) as toy:
        assert toy.act("up").exit is Exit.FINE
        return Past.of(toy)


@pytest.fixture
def up(toy: Toy, a_first_up: Past) -> Toy:
    """The toy after a first `up` of the plain program."""
    return a_first_up.given_to(toy)
