"""Whose account a teardown works in. Nothing is even looked at in another one."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.engine import identity
from scripts.engine.checkout import Checkout
from scripts.engine.stack_settings import settings_of
from scripts.errors import GpukitError, Refused


def refuse_other(*, cloud: str, account: str, region: str, name: str) -> None:
    """On real clouds: raises Refused unless the credentials open `account`."""
    identity.refuse_other_account(cloud=cloud, account=account, region=region, stack=name)


def allowed(checkout: Checkout, cloud: str) -> frozenset[str]:
    """Accounts of this checkout's stack files on `cloud`: with the state lost, they are what says where gpukit may delete."""
    found: set[str] = set()
    for stack in checkout.stack_names():
        try:
            spec = settings_of(checkout, stack).spec
        except GpukitError:
            continue  # a broken stack file allows nothing
        if spec.cloud == cloud:
            found.add(str(spec.account))
    return frozenset(found)


def of_caller(*, checkout: Checkout, cloud: str, region: str, environment: Mapping[str, str]) -> str:
    """The account that the credentials open, when a stack file names it too. Raises Refused where it does not, or there are none."""
    caller = identity.of(cloud).caller("", region, environment)
    if caller is None:
        raise Refused(f"There are no {cloud} credentials here that tell their account: sign in, or give --account. Nothing was changed.")
    known = allowed(checkout, cloud)
    if caller.account not in known:
        raise Refused(
            f"The credentials are of {cloud} account {caller.account}, which no stack file names ({', '.join(sorted(known)) or 'there is none'}). "
            f"Nothing was changed. If it is the right one, say so with --account {caller.account}."
        )
    return caller.account
