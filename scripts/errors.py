"""How a command ends when it does not end well: one paragraph (what, where, what to do) and one exit code."""

from __future__ import annotations

import os
from enum import IntEnum

DEBUG = "GPUKIT_DEBUG"


class Exit(IntEnum):
    FINE = 0
    NO = 1
    """The answer is no: mandatory finding, refused action, lock held by someone else, something left that bills."""
    USAGE = 2
    """Wrong usage or configuration, corrupt file."""
    FAILED = 3
    """A cloud, cluster or engine failed."""
    INTERRUPTED = 130


class GpukitError(Exception):
    """Base of every error that a user may cause or meet. Its text is the whole paragraph that is shown."""

    exit = Exit.FAILED


class Refused(GpukitError):
    exit = Exit.NO


class BadInput(GpukitError):
    exit = Exit.USAGE


class Failed(GpukitError):
    exit = Exit.FAILED


def unexpected(error: Exception) -> str:
    """The paragraph for a fault of ours. Where it lies is shown to whoever asks for it (GPUKIT_DEBUG=1)."""
    trace(error)
    text = " ".join(str(error).split())
    return f"unexpected {type(error).__name__}: {text}. Run it again with {DEBUG}=1 to see where, and report it."


def trace(error: BaseException) -> None:
    """The traceback of `error` on standard error, with GPUKIT_DEBUG=1 alone."""
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exception(error)
