"""The offline plan as gatekeeper: what it forbids never reaches an engine."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, cast

from components.resource import ResourceSet
from scripts.engine.checkout import Checkout
from scripts.engine.state import State
from scripts.errors import BadInput, Failed, Refused

if TYPE_CHECKING:
    from scripts.plan.judgement import Yardsticks


def refuse_if_forbidden(checkout: Checkout, stack: str, by: Yardsticks) -> ResourceSet:
    """Plan `stack` in process, judge it and give what it registers.

    Raises Refused with every failing finding, BadInput when it cannot be planned.
    """
    from scripts.plan.build import plan_stack

    plan = plan_stack(checkout.root, stack, by)
    if plan.error is not None or plan.resources is None:
        raise (Failed if plan.exit == Failed.exit else BadInput)(plan.error or f"{stack} registers nothing")
    if plan.failing:
        count = "1 mandatory finding" if len(plan.failing) == 1 else f"{len(plan.failing)} mandatory findings"
        named = "\n".join(f"  - {finding.rule} {finding.status}: {finding.message}" for finding in plan.failing)
        raise Refused(f"The plan of {stack} is forbidden by {count}. Nothing was changed.\n{named}")
    return plan.resources


def refuse_growth(stack: str, ended: date, *, state: State | None, planned: ResourceSet) -> None:
    """After its lease a stack may shrink and change, never grow: no pool more, no node more than its state has.

    Raises Refused with every pool that would grow, Failed when the state cannot be compared.
    """
    from policies.growth import growth
    from policies.readers import inventory

    grown = growth(inventory(_held(stack, state, planned)), inventory(planned))
    if grown:
        pools = "\n".join(f"  - {each}" for each in grown)
        raise Refused(
            f"The lease of {stack} ended on {ended}, and this change would make the stack grow. Nothing was changed.\n{pools}\n"
            f"Set lease.expires of stacks/Pulumi.{stack}.yaml to a later day, in quotes, or leave these pools as they are."
        )


def _held(stack: str, state: State | None, planned: ResourceSet) -> ResourceSet:
    """What the state records as existing, read as the plan is."""
    from scripts.check import engine_json

    raw = () if state is None else state.resources
    try:
        held = tuple(engine_json.resource(each) for each in raw if not each.get("delete"))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise Failed(
            f"The state of {stack} cannot be compared with its plan ({type(error).__name__}: {error}). Nothing was changed."
        ) from error
    return ResourceSet(project=planned.project, stack=stack, resources=held, config=planned.config)


def policy_config(by: Yardsticks, account: str, file: Path) -> Path | None:
    """Write `file` for `--policy-pack-config`, so that the pack judges by the files of `by`; None where none was given.

    A quota snapshot of another account than `account` says nothing about the stack and is left out.
    """
    from policies.pack_settings import pack_config

    files = by.files
    if not files:
        return None
    quota, prices = files.get("quota_snapshot"), files.get("prices")
    ours = by.snapshot is not None and by.snapshot.account in {None, account}
    document = pack_config(
        limits=by.limits.model_dump(mode="json", by_alias=True) if "limits" in files else None,
        limits_file=files.get("limits"),
        quota=_json(quota) if quota and ours else None,
        prices=_json(prices) if prices else None,
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def _json(file: str) -> dict[str, object]:
    """A file that was read and checked before."""
    from components.json_file import read_json

    return cast("dict[str, object]", read_json(Path(file), "file"))
