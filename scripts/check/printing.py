"""The report on standard output, in the form that was asked for."""

from __future__ import annotations

import sys

from scripts.plan.terminal import print_json, results

from .model import Report


def print_as(format_: str, report: Report) -> None:
    """`format_`: one of `commands.FORMATS`."""
    match format_:
        case "json":
            from .report_json import report_json

            print_json(report_json(report))
        case "sarif":
            from .formats.sarif import sarif

            print_json(sarif(report))
        case "markdown":
            from .formats.markdown import markdown

            sys.stdout.write(markdown(report))
        case "junit":
            from .formats.junit import junit

            sys.stdout.write(junit(report))
        case _:
            from .report import print_report

            print_report(report, results())
