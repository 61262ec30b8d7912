"""One run of one program."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import io
import runpy
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from pulumi.runtime import Settings, configure, run_in_stack, set_all_config

from .callbacks import Callbacks
from .failures import paragraph
from .invokes import plain_answers
from .isolation import isolated
from .monitor import Engine, Monitor, no_debug_log, no_stack_traces
from .order import ordered
from .tape import Tape
from .version_aliases import VersionAliases

Program = Callable[[], Any]


@dataclass(frozen=True)
class Job:
    """What to run, and as what."""

    program: Program | Path
    """The file to run, or a function for tests."""
    project: str
    stack: str
    config: Mapping[str, str]
    """Full keys to text, objects as JSON text."""
    secret_keys: Sequence[str]
    directory: Path
    """Where it runs and imports from."""
    root: Path
    """Where its Pulumi.yaml lies."""
    output: TextIO | None = None
    """Where what it prints goes; None: nowhere."""
    organization: str = "organization"


def run(job: Job) -> Tape:
    """The recording of `job` as a preview of a stack that starts from nothing.

    Whatever the program raises, SystemExit included, becomes `Tape.error`; KeyboardInterrupt passes.
    """
    tape = Tape(project=job.project, stack=job.stack)
    monitor = Monitor(tape, job.config)
    confidential = monitor.confidential
    confidential.add([job.config[key] for key in job.secret_keys if key in job.config])
    # All settings of the SDK are context variables: a context of its own keeps every run apart.
    callbacks = Callbacks(job.directory)
    failure = contextvars.Context().run(_guarded, job, monitor, callbacks)
    tape.entries = ordered(tape.entries)
    if failure is None and callbacks.note:
        tape.note(callbacks.note)
    tape.error = None if failure is None else confidential.hidden(failure)
    tape.logs = [(severity, confidential.hidden(text)) for severity, text in tape.logs]
    return tape


def _guarded(job: Job, monitor: Monitor, callbacks: Callbacks) -> str | None:
    """None, or one paragraph about how the program failed."""
    directory = job.directory.resolve()
    loop = _quiet_loop()
    try:
        with (
            isolated(directory, job.output or io.StringIO()),
            plain_answers(monitor.unanswered),
            no_debug_log(),
            no_stack_traces(),
            monitor.confidential.watching(),
            callbacks.watching(),
        ):
            set_all_config(dict(job.config), list(job.secret_keys))
            configure(_settings(job, monitor))
            loop.run_until_complete(run_in_stack(_entry(job.program, monitor.version_aliases)))
    except KeyboardInterrupt:
        raise
    except SystemExit as stop:
        return None if stop.code in {None, 0} else paragraph(stop, directory)
    except BaseException as error:  # noqa: BLE001 # a foreign program may raise anything, and other stacks go on
        return paragraph(error, directory)
    finally:
        _close(loop)
    return None


def _settings(job: Job, monitor: Monitor) -> Settings:
    given: dict[str, Any] = {"organization": job.organization, "root_directory": str(job.root)}
    known = inspect.signature(Settings).parameters  # the program's own SDK may be older than some of them
    more = {name: value for name, value in given.items() if name in known}
    return Settings(project=job.project, stack=job.stack, monitor=monitor, engine=Engine(monitor.tape), dry_run=True, **more)


def _entry(program: Program | Path, aliases: VersionAliases) -> Program:
    run_program = program if not isinstance(program, Path) else partial(_run_file, str(program.resolve()))

    def start() -> Any:
        aliases.watch()
        return run_program()

    return start


def _run_file(file: str) -> None:
    runpy.run_path(file, run_name="__main__")


def _quiet_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # One worker: registrations arrive in the order of the program, so that two runs give one plan.
    loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
    # A failed program leaves tasks whose errors nobody awaits; its own error is told once.
    loop.set_exception_handler(lambda _loop, _context: None)
    asyncio.set_event_loop(loop)
    return loop


def _close(loop: asyncio.AbstractEventLoop) -> None:
    pending = asyncio.all_tasks(loop)
    for task in pending:
        task.cancel()
    if pending:
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    asyncio.set_event_loop(None)
