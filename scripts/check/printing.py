"""The report on standard output in the form that was asked for, and beside it in files, each form by its ending."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.errors import BadInput
from scripts.plan.terminal import results

from .model import Report

ENDINGS = {".json": "json", ".md": "markdown", ".sarif": "sarif", ".xml": "junit"}


def print_as(format_: str, report: Report) -> None:
    """`format_`: one of `commands.FORMATS`."""
    if format_ == "text":
        from .report import print_report

        print_report(report, results())
    else:
        sys.stdout.write(text_of(format_, report))


def text_of(format_: str, report: Report) -> str:
    """The report in one of the forms of `ENDINGS`."""
    match format_:
        case "json":
            from .report_json import report_json

            return _json(report_json(report))
        case "sarif":
            from .formats.sarif import sarif

            return _json(sarif(report))
        case "markdown":
            from .formats.markdown import markdown

            return markdown(report)
        case _:
            from .formats.junit import junit

            return junit(report)


def refuse_unwritable(files: Sequence[str]) -> None:
    """Before anything is planned. Raises BadInput for a file whose ending names no form, or whose folder is not there."""
    for file in map(Path, files):
        if file.suffix not in ENDINGS:
            endings = ", ".join(f"{ending} ({form})" for ending, form in ENDINGS.items())
            raise BadInput(f"--write {file}: the ending says the form, {file.suffix or 'none'} is none of {endings}.")
        if not file.parent.is_dir():
            raise BadInput(f"--write {file}: the folder {file.parent} is not there: make it first.")


def write(report: Report, files: Sequence[str]) -> None:
    """One file a form, from the same report: it is made once. Raises BadInput for one that cannot be written."""
    for file in map(Path, files):
        try:
            file.write_text(text_of(ENDINGS[file.suffix], report), encoding="utf-8")
        except OSError as error:
            raise BadInput(f"--write {file} cannot be written ({error.strerror}): give another file.") from None


def _json(document: dict[str, object]) -> str:
    return json.dumps(document, indent=2, sort_keys=False, allow_nan=False) + "\n"
