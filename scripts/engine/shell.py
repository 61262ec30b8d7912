"""The shell lines of `gpukit env`: afterwards plain `pulumi`, boto3 and the Kubernetes client work on the simulated clouds."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping

from scripts.engine.checkout import Checkout
from scripts.engine.environment import WORLD, unset_names
from scripts.engine.workspace import Workspace
from scripts.errors import GpukitError

FALLBACK_REGION = "us-east-1"
COPY_NOTE = (
    "[sandbox] This shell stands in a copy of the project, because the engine edits stack files. "
    "After editing stacks/ or policies/ run the same line again."
)


def lines(workspace: Workspace, base: Mapping[str, str]) -> list[str]:
    """What a shell with the environment `base` has to evaluate."""
    wanted = {**workspace.environment, **_region(workspace.checkout)}
    # Always the world: `--sandbox` has put it into this process's environment, of which the shell knows nothing.
    changed = {name: value for name, value in wanted.items() if name == WORLD or base.get(name) != value}
    forget = [f"unset {name}" for name in unset_names(base, wanted) if name.isidentifier()]
    export = [f"export {name}={shlex.quote(value)}" for name, value in sorted(changed.items())]
    return [*forget, *export, f"cd {shlex.quote(str(workspace.directory))}"]


def _region(checkout: Checkout) -> dict[str, str]:
    """A default for the AWS clients, which want one; stacks name their own.

    Runs of `gpukit` never get it: a program without a region must fail there as it would elsewhere.
    """
    region = region_of_most_stacks(checkout)
    return {"AWS_REGION": region, "AWS_DEFAULT_REGION": region}


def region_of_most_stacks(checkout: Checkout) -> str:
    """The `aws:region` that most stack files name; the first of them by name where several do."""
    from scripts.plan import stackfile

    found: Counter[str] = Counter()
    for stack in checkout.stack_names():
        try:
            region = stackfile.read(checkout.root, stack).config.get("aws:region")
        except GpukitError:
            continue  # a file that cannot be read is told where its stack is used
        if region:
            found[region] += 1
    return max(sorted(found), key=lambda name: found[name], default=FALLBACK_REGION)
