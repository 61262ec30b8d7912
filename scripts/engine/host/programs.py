"""The engine's Run: one program in a child process, its exit code in the engine's terms."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pulumi.runtime.proto import language_pb2

from scripts.engine.host import program
from scripts.engine.host.children import Children, interrupt
from scripts.engine.host.interpreter import Interpreter, NoEnvironment, interpreter_of


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """What `program.py` reads from its argument. Config travels in the environment: it may hold secrets, which `ps` would show."""

    monitor: str
    engine: str
    project: str
    stack: str
    organization: str
    parallel: int
    dry_run: bool
    root: str
    program: str
    arguments: list[str]
    lifeline: int


def run(request: language_pb2.RunRequest, context: Any, *, engine: str, children: Children) -> language_pb2.RunResponse:
    """Run the program of `request` to its end."""
    try:
        interpreter = interpreter_of(request.info)
    except NoEnvironment as error:
        return language_pb2.RunResponse(error=str(error))
    return response_of(_run(request, context, interpreter, spec_of(request, engine=engine, lifeline=children.lifeline), children))


def _run(request: language_pb2.RunRequest, context: Any, interpreter: Interpreter, spec: RunSpec, children: Children) -> int:
    command = [interpreter.python, "-u", str(Path(program.__file__).resolve()), json.dumps(asdict(spec))]
    child = children.spawn(
        command,
        peer=context.peer(),
        cwd=request.pwd or request.info.program_directory,
        environment={**interpreter.environment, **_config(request)},
    )
    context.add_callback(lambda: interrupt(child))
    try:
        return child.wait()
    finally:
        children.forget(child)


def spec_of(request: language_pb2.RunRequest, *, engine: str, lifeline: int) -> RunSpec:
    return RunSpec(
        monitor=request.monitor_address,
        engine=engine,
        project=request.project,
        stack=request.stack,
        organization=request.organization or "organization",
        parallel=request.parallel,
        dry_run=request.dryRun,
        root=request.info.root_directory,
        program=str(Path(request.info.program_directory) / request.info.entry_point),
        arguments=list(request.args),
        lifeline=lifeline,
    )


def response_of(code: int) -> language_pb2.RunResponse:
    """`bail` where the program's error was already shown, so that the engine adds no second, useless one."""
    if code == 0:
        return language_pb2.RunResponse()
    if code == program.SHOWN:
        return language_pb2.RunResponse(bail=True)
    if code < 0:
        return language_pb2.RunResponse(error=f"the program was ended by signal {-code}")
    return language_pb2.RunResponse(error=f"the program ended with exit code {code}")


def _config(request: language_pb2.RunRequest) -> dict[str, str]:
    return {
        "PULUMI_CONFIG": json.dumps(dict(request.config)),
        "PULUMI_CONFIG_SECRET_KEYS": json.dumps(list(request.configSecretKeys)),
    }
