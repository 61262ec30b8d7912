"""What `gpukit cost` does."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.engine.checkout import here
from scripts.errors import Exit


def cost(  # noqa: PLR0913 # one parameter an option
    *,
    stacks: Sequence[str],
    as_json: bool = False,
    prices: str | None = None,
    limits: str | None = None,
    interruptions: Sequence[str] = (),
    nat_gb: float | None = None,
) -> Exit:
    """Print the cost of `stacks` (none: all). Raises BadInput for a name, file or option that is wrong."""
    from scripts.plan.recorder import tune_collector
    from scripts.plan.terminal import complain, print_json, progress, results

    from .assumed import assumed

    given = assumed(interruptions=interruptions, nat_gb=nat_gb)
    progress("reading the stack files and loading the cloud SDKs")
    tune_collector()
    from scripts.plan.judgement import yardsticks
    from scripts.plan.parallel import planned

    from .report import report

    by = yardsticks(limits=limits, prices=prices)
    found = report(planned(here().root, stacks, by, progress=progress), by, given)
    if as_json:
        from .cost_json import report_json

        print_json(report_json(found))
    else:
        from .text import print_report

        print_report(found, results())
    for stack in found.stacks:
        if stack.error is not None:
            complain(f"{stack.name}: {stack.error}" if len(found.stacks) > 1 else stack.error)
    return found.exit
