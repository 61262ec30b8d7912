"""Whose account the credentials open: compared with the stack file before anything is written to a real cloud."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from scripts.errors import Refused


@dataclass(frozen=True)
class Caller:
    """Who the credentials speak for. `account` is the account id, project or subscription that they open, `name` says whose they are."""

    account: str
    name: str


class Identity(Protocol):
    """What a cloud's identity module gives (`scripts.engine.aws_identity`)."""

    NOUN: str
    """What `account` is on this cloud."""
    SIGN_IN: str
    """How a person gets credentials."""

    def caller(self, account: str, region: str, environment: Mapping[str, str] | None = None) -> Caller | None:
        """The caller; None when there are no credentials. Raises Failed when the cloud refuses them or does not answer.

        `account` is the one that is meant: where credentials open several, that one is looked for.
        """
        ...


MODULES = {
    "aws": "scripts.engine.aws_identity",
    "gcp": "scripts.engine.gcp_identity",
    "azure": "scripts.engine.azure_identity",
}
"""Of the clouds on which gpukit changes something."""


def of(cloud: str) -> Identity:
    return cast("Identity", importlib.import_module(MODULES[cloud]))


def refuse_other_account(*, cloud: str, account: str, region: str, stack: str) -> Caller:
    """The caller, when it is the stack's own account. Raises Refused for another, or none, or a cloud that is not built yet."""
    if cloud not in MODULES:
        raise Refused(f"Stack {stack} is on {cloud}, which is not built yet: gpukit changes nothing on it.")
    identity = of(cloud)
    caller = identity.caller(account, region)
    if caller is None:
        raise Refused(
            f"Stack {stack} belongs to {identity.NOUN} {account}, and there are no credentials for it here. Nothing was changed. "
            f"Sign in to that account (for example {identity.SIGN_IN}), or add --sandbox for the simulated clouds."
        )
    if caller.account != account:
        raise Refused(
            f"Stack {stack} belongs to {identity.NOUN} {account}, but the credentials are {caller.name} of {identity.NOUN} {caller.account}. "
            f"Nothing was changed. Switch credentials, or correct `account` in the stack file."
        )
    return caller
