"""`gpukit up`, `preview`, `refresh`, `destroy`, `env`, `kubeconfig` and `doctor`: names and options; the work lies in `scripts.engine`."""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.cli_group import AsJson, InSandbox, Limits, Prices, QuotaSnapshot, Stack, Yes, enter, known_stack, run_part


def up(  # noqa: PLR0913 # one parameter an option
    stack: Stack,
    *,
    sandbox: InSandbox = False,
    yes: Yes = False,
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
) -> int:
    """Create or update a stack, after a preview, under guardrails.

    Pulumi's own engine does it. GPUKIT_VERBOSE=1 shows every resource instead of one line for each component.

    Example: gpukit up aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part(
        "engine", "up", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json, files=_files(quota_snapshot, limits, prices)
    )


def preview(  # noqa: PLR0913 # one parameter an option
    stack: Stack,
    *,
    sandbox: InSandbox = False,
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
) -> int:
    """Show what `up` would change, judged by the guardrails.

    Example: gpukit preview aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part(
        "engine", "preview", stack=known_stack(stack), sandbox=sandbox, json_=as_json, files=_files(quota_snapshot, limits, prices)
    )


def refresh(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Read the real resources of a stack into its state.

    Example: gpukit refresh aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part("engine", "refresh", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json)


def destroy(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Delete all resources of a stack but for data kept on purpose.

    Example: gpukit destroy aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part("engine", "destroy", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json)


def env(sandbox: InSandbox = False) -> int:
    """Print shell lines for plain `pulumi` on simulated clouds.

    Example: eval "$(gpukit env --sandbox)"
    """
    enter(sandbox=sandbox)
    return run_part("engine", "env", sandbox=sandbox)


def kubeconfig(
    stack: Stack,
    sandbox: InSandbox = False,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write it here, readable by you alone, instead of printing it.")] = None,
) -> int:
    """Print a kubeconfig of a stack's cluster, or write it.

    Example: gpukit kubeconfig aws-training-dev --sandbox --out kubeconfig.yaml
    """
    enter(sandbox=sandbox)
    return run_part("engine", "kubeconfig", stack=known_stack(stack), sandbox=sandbox, out=out)


def doctor(as_json: AsJson = False, sandbox: InSandbox = False) -> int:
    """Show what is installed, what is missing and how to get it.

    And whose credentials answer.

    Example: gpukit doctor
    """
    enter(sandbox=sandbox)
    return run_part("engine", "doctor", json_=as_json)


def _files(quota_snapshot: str | None, limits: str | None, prices: str | None) -> dict[str, str]:
    given = {"quota_snapshot": quota_snapshot, "limits": limits, "prices": prices}
    return {option: file for option, file in given.items() if file is not None}
