"""The world on disk: an append-only file of transactions, one JSON object a line, written before anything is answered."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from scripts.errors import BadInput

FORMAT = "gpukit/world/1"


class Journal:
    """Appends transactions and reads them back.

    A transaction is one line: it is there as a whole or not at all, so that a killed server leaves nothing half done.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: int | None = None

    def read(self) -> Iterator[Mapping[str, Any]]:
        """Every whole transaction, oldest first. The last line may be torn by a kill: it was never answered and is dropped.

        Raises BadInput when anything else cannot be read; the file is left as it is.
        """
        if not self.path.exists():
            return
        lines = self.path.read_bytes().split(b"\n")
        if lines[-1]:
            lines[-1] = b""
        for number, line in enumerate(lines[:-1], start=1):
            yield self._parse(line, number)

    def _parse(self, line: bytes, number: int) -> Mapping[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, UnicodeDecodeError) as error:
            raise self._corrupt(number, str(error)) from error
        if not isinstance(entry, dict):
            raise self._corrupt(number, "not an object")
        if number == 1 and cast("dict[str, Any]", entry).get("format") != FORMAT:
            raise self._corrupt(number, f"the first line does not say {FORMAT!r}")
        return cast("dict[str, Any]", entry)

    def _corrupt(self, number: int, why: str) -> BadInput:
        return BadInput(
            f"{self.path}: line {number} cannot be read ({why}). The file is left untouched: repair or remove that line, "
            "or start a new simulated world with `gpukit sandbox reset`."
        )

    def compact(self, snapshot: Mapping[str, Any]) -> None:
        """Replace the file by one line that says the same, in one step: a kill leaves either the old or the new file."""
        self.close()
        fresh = self.path.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_line({"format": FORMAT, **snapshot}))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write one transaction; it has left this process when the call returns."""
        if self._file is None:
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        line = _line(entry)
        written = os.write(self._file, line)
        if written != len(line):
            raise OSError(f"{self.path}: wrote {written} of {len(line)} bytes: is the disk full?")

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"
