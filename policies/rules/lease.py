"""GPU-LEASE: how long a stack is wanted."""

from __future__ import annotations

from collections.abc import Iterator

from components.unknown import Unknown
from policies.finding import Status

from .rule import Case, Rule, Scope, Verdict, cannot_tell

_QUOTED = 'Set it to a day in quotes: lease: {expires: "2027-03-01"}.'


def _expired(case: Case) -> Iterator[Verdict]:
    """Only a stack file has a lease: a program without one has nothing to say."""
    ends = case.settings.lease_ends
    if isinstance(ends, Unknown):
        yield cannot_tell("", ends, subject="lease", so="it cannot be told whether the stack may grow", fix=_QUOTED)
    elif ends is not None and case.settings.now.date() > ends:
        text = f"lease: it ended on {ends}, so growth is refused: no more nodes, no new pools. Only `gpukit up` and `gpukit preview` compare with "
        text += f"what there is; here it is not checked. Set lease.expires of {case.inventory.stack} to a later day, or end the stack."
        yield Verdict(status=Status.UNCHECKED, urn="", path="lease.expires", message=text)


RULES = (
    Rule(
        id="GPU-LEASE-01",
        title="A stack whose lease has ended does not grow",
        failures=(),
        scope=Scope.STACK,
        check=_expired,
        fix='lease: {expires: "2027-03-01"} in the stack file, a day to come',
        parameters=("the stack's lease",),
    ),
)
