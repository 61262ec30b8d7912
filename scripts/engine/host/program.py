"""Runs one Pulumi program in a process of its own: `python program.py SPEC`, SPEC a JSON object with the fields of `RunSpec`.

It is started by path with the program's own interpreter, so it imports nothing of this project.
Exit codes: 0; 32 when the error was already shown through the engine; 130 when interrupted or when the host is gone.
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import logging
import os
import runpy
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

SHOWN = 32
INTERRUPTED = 130
FEWER_COLLECTIONS = (200_000, 50, 1000)
"""Full collections over the imported SDKs cost more than the program itself: these thresholds halve its time."""


def main(argument: str) -> int:
    spec: dict[str, Any] = json.loads(argument)
    _end_with_the_host(spec["lifeline"])
    _forget_own_directory()
    gc.set_threshold(*FEWER_COLLECTIONS)
    _configure(spec)
    program = os.path.normpath(spec["program"])
    sys.argv = [program, *spec["arguments"]]
    executor = ThreadPoolExecutor(max(spec["parallel"], 1) * 4)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.set_default_executor(executor)
    return _run(program, loop, executor)


def _run(program: str, loop: asyncio.AbstractEventLoop, executor: ThreadPoolExecutor) -> int:
    import pulumi
    from pulumi.runtime import run_in_stack

    try:
        loop.run_until_complete(run_in_stack(lambda: _ignore(runpy.run_path(program, run_name="__main__"))))
    except pulumi.RunError as error:
        pulumi.log.error(str(error))
        return SHOWN
    except KeyboardInterrupt:
        executor.shutdown(wait=False, cancel_futures=True)
        return INTERRUPTED
    except Exception:  # noqa: BLE001 - whatever the program raises is shown as its own error
        pulumi.log.error("Program failed with an unhandled exception:\n" + _trace_from(program))
        return SHOWN
    return 0


def _configure(spec: dict[str, Any]) -> None:
    from pulumi import runtime
    from pulumi.runtime.config import get_config_env, get_config_secret_keys_env

    runtime.set_all_config(get_config_env(), get_config_secret_keys_env())
    runtime.configure(
        runtime.Settings(
            monitor=spec["monitor"],
            engine=spec["engine"],
            project=spec["project"],
            stack=spec["stack"],
            parallel=spec["parallel"],
            dry_run=spec["dry_run"],
            organization=spec["organization"],
            root_directory=spec["root"],
        )
    )
    # A failed program leaves futures that nobody awaits; asyncio would report each of them below the real error.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)


def _forget_own_directory() -> None:
    """A program must not import our modules by their bare names."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path).resolve() != here]


def _end_with_the_host(lifeline: int) -> None:
    """`lifeline` is the read end of a pipe whose other end the host holds: its end means that nobody waits for us any more."""

    def watch() -> None:
        os.read(lifeline, 1)
        os._exit(INTERRUPTED)

    threading.Thread(target=watch, daemon=True).start()


def _trace_from(program: str) -> str:
    """The traceback from the program's own main file on, without our frames above it."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    path = Path(program).resolve()
    main_file = path / "__main__.py" if path.is_dir() else path
    first = next((index for index, frame in enumerate(frames) if Path(frame.filename).resolve() == main_file), 0)
    return traceback.format_exc(limit=first - len(frames))


def _ignore(_: object) -> None:
    """The stack's outputs are what the program exports, not what running it returns."""


def _leave(code: int) -> None:
    """Without tearing down a heap of hundreds of megabytes, which takes a second or two."""
    atexit._run_exitfuncs()  # noqa: SLF001 - os._exit would skip them, and there is no public way to run them
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    try:
        _leave(main(sys.argv[1]))
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
