"""One paragraph about a program that failed: what, and at which of its own lines."""

from __future__ import annotations

import traceback
from pathlib import Path

_LONGEST = 1500
"""Characters of a program's own message that are shown."""
_COMPLETE = ("RunError", "SpecErrors")
"""Errors whose text is the whole message: what Pulumi shows alone, and what this project's own stacks say about their file."""


def paragraph(error: BaseException, directory: Path) -> str:
    """What `error` says and the innermost line of the program (a file inside `directory`) that led to it."""
    shown = type(error).__name__
    if shown in _COMPLETE:
        return str(error).strip()
    if isinstance(error, SystemExit):
        return f"the program ended itself with exit code {error.code!r}{_where(error, directory)}"
    text = " ".join(str(error).split())[:_LONGEST]
    said = f"{shown}: {text}" if text else shown
    return f"the program failed{_where(error, directory)}: {said}"


def _where(error: BaseException, directory: Path) -> str:
    found: BaseException | None = error
    seen: list[BaseException] = []  # causes may form a circle: the SDK raises one error from itself
    while found is not None and found not in seen:
        line = _innermost(found, directory)
        if line:
            return f" at {line}"
        seen.append(found)
        found = found.__cause__ or found.__context__
    return ""


def _innermost(error: BaseException, directory: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename and _inside(error.filename, directory):
        return f"{Path(error.filename).relative_to(directory).as_posix()}:{error.lineno}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _inside(frame.filename, directory):
            return f"{Path(frame.filename).relative_to(directory).as_posix()}:{frame.lineno}"
    return ""


def _inside(file: str, directory: Path) -> bool:
    path = Path(file)
    return path.is_absolute() and path.is_relative_to(directory) and "site-packages" not in path.parts
