"""The increase that a shortage asks for, as the cloud's own request: one value for findings, for the command line and for what is sent."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from components.inventory import Cloud
from components.unknown import Unknown

from .amounts import EVERYWHERE, QuotaDemand
from .entries import QuotaEntry
from .google_ids import GoogleQuota, google_quota

_ACCOUNT: dict[Cloud, str] = {"aws": "", "gcp": "PROJECT", "azure": "SUBSCRIPTION"}
"""Stands where the account belongs when none is given."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A limit of `value` units in all, wanted for one quota in one region."""

    cloud: Cloud
    region: str
    code: str
    unit: str
    value: float
    dimensions: Mapping[str, str] = field(default_factory=dict[str, str])
    """GCP: what the limit is asked for, region included."""
    contact: str | None = None
    """GCP: who wants it."""

    @property
    def azure_kind(self) -> str:
        """Azure tells spot's cores from all others."""
        return "lowPriority" if self.code == "lowPriorityCores" else "dedicated"

    def azure_scope(self, subscription: str) -> str:
        return f"/subscriptions/{subscription}/providers/Microsoft.Compute/locations/{self.region}"

    def command(self, account: str | None = None) -> str:
        """The request as a line for the cloud's own command line."""
        return shlex.join(self.words(account or _ACCOUNT[self.cloud]))

    def words(self, account: str) -> tuple[str, ...]:
        if self.cloud == "aws":
            return ("aws", "service-quotas", "request-service-quota-increase", "--service-code", "ec2", "--quota-code", self.code,
                    "--desired-value", f"{self.value:g}", "--region", self.region)  # fmt: skip
        if self.cloud == "gcp":
            told = ",".join(f"{key}={value}" for key, value in sorted(self.dimensions.items()))
            dimensions = (f"--dimensions={told}",) if told else ()
            email = (f"--email={self.contact}",) if self.contact else ()
            return ("gcloud", "beta", "quotas", "preferences", "create", "--service=compute.googleapis.com", f"--project={account}",
                    f"--quota-id={google_quota(self.code).quota_id}", *dimensions, f"--preferred-value={self.value:g}", *email)  # fmt: skip
        return ("az", "quota", "update", "--resource-name", self.code, "--scope", self.azure_scope(account), "--limit-object",
                f"value={self.value:g}", "--resource-type", self.azure_kind)  # fmt: skip


def asked(wanted: QuotaDemand, entry: QuotaEntry | None, stacks: Sequence[str]) -> Ask | None:
    """What to ask for so that `wanted` fits beside what others use; None when it fits, or its quota, region or size is not known.

    Usage that was not recorded counts as nothing: then the value is the least that could do.
    """
    if not wanted.code or isinstance(wanted.region, Unknown) or entry is None:
        return None
    others = 0.0 if entry.usage is None else entry.usage - entry.own(stacks)
    value = others + wanted.need
    if value <= entry.limit:
        return None
    return ask_for(wanted, wanted.region, value)


def ask_for(wanted: QuotaDemand, region: str, value: float) -> Ask:
    """A limit of `value` in all on the quota that `wanted` draws on."""
    dimensions: Mapping[str, str] = {}
    if wanted.cloud == "gcp":
        quota: GoogleQuota = google_quota(wanted.code)
        dimensions = {**quota.dimensions, **({} if region == EVERYWHERE else {"region": region})}
    return Ask(cloud=wanted.cloud, region=region, code=wanted.code, unit=wanted.unit, value=value, dimensions=dimensions)
