"""Values that a plan does not know: never zero, never idle, never a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeGuard, TypeVar

T = TypeVar("T")

AFTER_UPDATE = "known only after the update"
SECRET = "a secret"
MASKED_SECRET = "[secret]"
"""What the engine writes where a secret stood: in `pulumi preview --json` and `pulumi stack export`."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Stands where a value would stand, with the property path that it would have come from and why it is missing.

    It has no truth value: a rule that forgets to ask `known()` fails loudly instead of deciding on nothing.
    """

    path: str
    reason: str = AFTER_UPDATE

    def __bool__(self) -> bool:
        raise TypeError(f"{self.path} is unknown ({self.reason}): ask known() before deciding on it")

    def __str__(self) -> str:
        return f"unknown: {self.path} is {self.reason}"


Maybe = T | Unknown


def known(value: T | Unknown) -> TypeGuard[T]:
    """Whether `value` is there to decide on."""
    return not isinstance(value, Unknown)
