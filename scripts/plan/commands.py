"""What `gpukit plan` does."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.engine.checkout import here
from scripts.errors import Exit


def plan(
    *,
    stacks: Sequence[str],
    as_json: bool = False,
    quota_snapshot: str | None = None,
    limits: str | None = None,
    prices: str | None = None,
) -> Exit:
    """Print the plan of `stacks` (none: all). Raises BadInput for a name or file that is not there."""
    from .recorder import tune_collector
    from .terminal import complain, print_json, progress, results

    progress("reading the stack files and loading the cloud SDKs")
    tune_collector()
    from .judgement import yardsticks
    from .parallel import planned

    by = yardsticks(quota_snapshot=quota_snapshot, limits=limits, prices=prices)
    found = planned(here().root, stacks, by, progress=progress)
    if as_json:
        from .plan_json import plan_json

        print_json(plan_json(found))
    else:
        from .text import print_plan

        print_plan(found, results())
    for stack in found.stacks:
        if stack.error is not None:
            complain(f"{stack.name}: {stack.error}" if len(found.stacks) > 1 else stack.error)
    return found.exit
