"""Runs a module or a path as Python itself would, and ends when the host is gone: `python tethered.py LIFELINE [-m MODULE | PATH] ARGS…`.

It is started by path with the plug-in's own interpreter, so it imports nothing of this project. A plug-in serves until it is told to
stop: without this one whose host was killed would serve for ever.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading

HOST_GONE = 130


def main(arguments: list[str]) -> None:
    lifeline, *command = arguments
    end_with_the_host(int(lifeline))
    if command[0] == "-m":
        sys.argv = command[1:]
        sys.path[0] = os.getcwd()  # noqa: PTH109 - what `python -m` does; this file's own directory must not serve imports
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = command
        sys.path.pop(0)
        runpy.run_path(command[0], run_name="__main__")


def end_with_the_host(lifeline: int) -> None:
    """`lifeline` is the read end of a pipe whose other end the host holds: its end means that nobody waits for us any more."""

    def watch() -> None:
        os.read(lifeline, 1)
        os._exit(HOST_GONE)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
