"""What the fields of a stack file mean together: every rule that needs more than one field, or a field and its cloud.

Each check yields refusals that say what is wrong, why, and what to write instead. They judge the file alone: what costs too much or
exceeds a quota is for the rules, what a family does not build yet is for that family.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from components.inventory import Cloud
from components.refusals import SpecErrors, Verdict, nearest, verdict

from . import InferenceSpec, Spec, Spot, TrainingSpec, network_checks, pool_checks

ACCOUNTS: dict[Cloud, tuple[str, str]] = {
    "aws": (r"\d{12}", "an AWS account id is 12 digits, zeros in front included"),
    "gcp": (r"([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]", "a GCP project id is 6 to 30 of a-z, 0-9 and -, starting with a letter"),
    "azure": (r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "an Azure subscription id is a UUID"),
}
COMMITMENTS: dict[Cloud, tuple[str, ...]] = {
    "aws": ("savings_plan", "reserved", "negotiated"),
    "gcp": ("committed_use", "negotiated"),
    "azure": ("savings_plan", "reserved", "negotiated"),
}
EKS_ADDONS = ("vpc-cni", "kube-proxy", "coredns", "aws-ebs-csi-driver", "eks-pod-identity-agent", "eks-node-monitoring-agent")
"""Add-ons that an AWS cluster is made with."""
GCP_KEY = r"projects/[^/\s]+/locations/[^/\s]+/keyRings/[^/\s]+/cryptoKeys/[^/\s]+"
RESERVED_TAGS = ("gpukit/", "aws:", "kubernetes.io/")
"""Tags of ours, of AWS and of the cluster's controllers; changing them would hide resources from teardown."""
WIDEST_API_RANGE = 8
"""Prefix length: two halves of the internet are everyone too."""
LABEL = r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"
LABEL_VALUE = r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?"


def check(spec: TrainingSpec | InferenceSpec, *, region: str | None = None) -> Iterator[Verdict]:
    """Every refusal of `spec`. Zones are compared with `region` where it is given."""
    yield from _identity(spec)
    yield from network_checks.check(spec, region)
    yield from _access(spec)
    yield from _addon_versions(spec)
    yield from pool_checks.check(spec, region)
    yield from _storage(spec)
    yield from _duplicates(spec)
    yield from _pricing(spec)
    yield from _idle(spec)
    yield from _tags(spec)


def refuse(spec: TrainingSpec | InferenceSpec, *, region: str | None = None, source: str = "spec") -> None:
    """For specs made in Python rather than read from a file. Raises SpecErrors."""
    errors = tuple(found.error for found in check(spec, region=region))
    if errors:
        raise SpecErrors(source, errors)


def _identity(spec: Spec) -> Iterator[Verdict]:
    form, meaning = ACCOUNTS[spec.cloud]
    if not re.fullmatch(form, spec.account):
        yield verdict("account", spec.account, f"{meaning}: write that of the account the cluster belongs to", "cloud")
    if not re.fullmatch(r"1\.\d\d", spec.kubernetes_version):
        yield verdict(
            "kubernetes_version", spec.kubernetes_version, 'write a minor version in quotes, such as "1.35"; the cloud chooses the patch'
        )
    if spec.billing_account is not None:
        if spec.cloud != "gcp":
            yield verdict("billing_account", spec.billing_account, f"only budgets on GCP need it: remove it on {spec.cloud}", "cloud")
        elif not re.fullmatch(r"[0-9A-F]{6}(-[0-9A-F]{6}){2}", spec.billing_account):
            yield verdict("billing_account", spec.billing_account, "write it as 012345-6789AB-CDEF01")
    if spec.encryption_key is not None:
        if spec.cloud != "gcp":
            why = f"a key of one's own is built on gcp only: remove it on {spec.cloud}"
            yield verdict("encryption_key", spec.encryption_key, why, "cloud")
        elif not re.fullmatch(GCP_KEY, spec.encryption_key):
            why = "write the key as projects/…/locations/…/keyRings/…/cryptoKeys/…"
            yield verdict("encryption_key", spec.encryption_key, why)


def _access(spec: Spec) -> Iterator[Verdict]:
    access = spec.access
    if access.api == "public" and not access.api_cidrs:
        why = "a public API needs the ranges that may reach it: list them, or set api: private (in-cluster resources then need a runner inside)"
        yield verdict("access.api_cidrs", access.api_cidrs, why, "access.api")
    if access.api == "private" and access.api_cidrs:
        yield verdict(
            "access.api_cidrs", access.api_cidrs, "a private API has no public ranges: remove them, or set api: public", "access.api"
        )
    for at, cidr in enumerate(access.api_cidrs):
        if cidr.prefixlen < WIDEST_API_RANGE:
            everyone = "lets everyone" if cidr == IPv4Network("0.0.0.0/0") else "lets a large part of the internet"
            yield verdict(
                f"access.api_cidrs[{at}]", cidr, f"{everyone} reach the Kubernetes API: give the ranges of your office, VPN or runners"
            )
    for field, who in (("admins", access.admins), ("viewers", access.viewers)):
        for at, identity in enumerate(who):
            yield from _identity_form(f"access.{field}[{at}]", identity, spec.cloud)
    yield from _kubeconfig(spec)


def _kubeconfig(spec: Spec) -> Iterator[Verdict]:
    wanted, path = spec.access.kubeconfig, "access.kubeconfig"
    if spec.cloud != "aws":
        for field, value in (("profile", wanted.profile), ("role", wanted.role)):
            if value is not None:
                yield verdict(f"{path}.{field}", value, f"the token command of {spec.cloud} takes none: remove it", "cloud")
        return
    if wanted.role is None:
        return
    if refused := list(_identity_form(f"{path}.role", wanted.role, spec.cloud)):
        yield from refused
    elif wanted.role not in (who := (*spec.access.admins, *spec.access.viewers)):
        why = "has no access entry, so its tokens open nothing: add it to access.admins or access.viewers"
        yield verdict(f"{path}.role", wanted.role, why, "access.admins", allowed=who, near=nearest(wanted.role, who))


def _identity_form(path: str, identity: str, cloud: Cloud) -> Iterator[Verdict]:
    if cloud == "aws" and ":assumed-role/" in identity:
        yield verdict(path, identity, "is a session, which ends: give the role, arn:aws:iam::<account>:role/<name>", "cloud")
    elif cloud == "aws" and not re.fullmatch(r"arn:aws[a-z-]*:iam::\d{12}:(role|user)/\S+", identity):
        yield verdict(path, identity, "give the ARN of an IAM role or user, arn:aws:iam::<account>:role/<name>", "cloud")
    elif cloud == "gcp" and not re.fullmatch(r"((user|group|serviceAccount):)?[^@\s:]+@[^@\s]+", identity):
        yield verdict(path, identity, "give an e-mail address, or user:…, group:… or serviceAccount:… with one", "cloud")
    elif cloud == "azure" and not re.fullmatch(ACCOUNTS["azure"][0], identity):
        yield verdict(path, identity, "give the object id (a UUID) of an Entra group", "cloud")


def _addon_versions(spec: Spec) -> Iterator[Verdict]:
    for name, version in spec.addon_versions.items():
        path = f"addon_versions.{name}"
        if spec.cloud != "aws":
            yield verdict(path, version, f"EKS alone has add-ons with versions of their own: remove it on {spec.cloud}", "cloud")
        elif name not in EKS_ADDONS:
            yield verdict("addon_versions", name, "the cluster has no such add-on", allowed=EKS_ADDONS, near=nearest(name, EKS_ADDONS))
        elif not re.fullmatch(r"v\d+\.\d+\.\d+-eksbuild\.\d+", version):
            yield verdict(path, version, f"is no version: take one of `aws eks describe-addon-versions --addon-name {name}`")
        elif name == "kube-proxy" and not version.startswith(f"v{spec.kubernetes_version}."):
            yield verdict(
                path, version, f"kube-proxy has the minor version of its cluster, {spec.kubernetes_version}", "kubernetes_version"
            )


def _storage(spec: Spec) -> Iterator[Verdict]:
    shared = spec.storage.shared_filesystem
    if shared is None:
        return
    path, buckets = "storage.shared_filesystem", [bucket.name for bucket in spec.storage.buckets]
    if not re.fullmatch(r"/[^\s/]+(/[^\s/]+)*", shared.mount):
        yield verdict(f"{path}.mount", shared.mount, "write an absolute path such as /shared")
    if shared.bucket is not None and shared.bucket not in buckets:
        why = "no bucket of this stack has that name: add it to storage.buckets, or remove the link"
        yield verdict(f"{path}.bucket", shared.bucket, why, "storage.buckets", allowed=buckets, near=nearest(shared.bucket, buckets))


def _duplicates(spec: TrainingSpec | InferenceSpec) -> Iterator[Verdict]:
    yield from _repeated("pools", [pool.name for pool in spec.pools], "pool")
    yield from _repeated("storage.buckets", [bucket.name for bucket in spec.storage.buckets], "bucket")
    if isinstance(spec, TrainingSpec):
        yield from _repeated("queue.teams", [team.name for team in spec.queue.teams], "team")


def _repeated(path: str, names: Iterable[str], noun: str) -> Iterator[Verdict]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        if name in first:
            why = f"{path}[{first[name]}] is called so too: each {noun} needs a name of its own"
            yield verdict(f"{path}[{at}].name", name, why, f"{path}[{first[name]}].name")
        first.setdefault(name, at)


def _pricing(spec: Spec) -> Iterator[Verdict]:
    pools = [pool.name for pool in spec.pools]
    for at, commitment in enumerate(spec.pricing.commitments):
        path = f"pricing.commitments[{at}]"
        if commitment.pool not in pools:
            why = "no pool of this stack has that name"
            yield verdict(f"{path}.pool", commitment.pool, why, "pools", allowed=pools, near=nearest(commitment.pool, pools))
        if commitment.kind not in COMMITMENTS[spec.cloud]:
            why = f"{spec.cloud} sells no such agreement"
            yield verdict(f"{path}.kind", commitment.kind, why, "cloud", allowed=COMMITMENTS[spec.cloud])
    yield from _interruptions(spec)


def _interruptions(spec: Spec) -> Iterator[Verdict]:
    spot = [pool.name for pool in spec.pools if isinstance(pool.capacity, Spot)]
    for at, rate in enumerate(spec.pricing.interruptions):
        if rate.pool not in spot:
            why = "no spot pool of this stack has that name, and only spot nodes are taken away"
            near = nearest(rate.pool, spot)
            yield verdict(f"pricing.interruptions[{at}].pool", rate.pool, why, "pools", allowed=spot, near=near)


def _idle(spec: Spec) -> Iterator[Verdict]:
    for at, target in enumerate(spec.idle.notify):
        if not re.fullmatch(r"env:[A-Z][A-Z0-9_]*|[^@\s/:]+@[^@\s/:]+", target):
            # A webhook address lets anyone who reads it post: it must not stand in a plain file, nor in this message.
            hidden = "(a web address)" if "://" in target else target
            why = "give an e-mail address, or env:NAME where the variable NAME holds the webhook's address, which is a secret"
            yield verdict(f"idle.notify[{at}]", hidden, why)
    if spec.idle.watch is not None and spec.cloud != "aws":
        why = f"the watch is built on aws only: remove it on {spec.cloud}, and run `gpukit idle --act` by a schedule of your own"
        yield verdict("idle.watch", "on", why, "cloud")


def _tags(spec: Spec) -> Iterator[Verdict]:
    for key in spec.tags:
        prefix = next((p for p in RESERVED_TAGS if key.casefold().startswith(p)), None)
        if prefix is not None:
            yield verdict(
                "tags", key, f"keys that begin with {prefix} are reserved, since teardown finds resources by such tags: choose another key"
            )
    for at, pool in enumerate(spec.pools):
        for key, value in pool.labels.items():
            if key.startswith("gpukit/"):
                yield verdict(f"pools[{at}].labels", key, "keys that begin with gpukit/ are reserved: choose another key")
            elif not re.fullmatch(LABEL, key) or not re.fullmatch(LABEL_VALUE, value):
                why = "is no Kubernetes label: at most 63 of letters, digits, -, _ and . on each side, starting and ending with a letter or digit"
                yield verdict(f"pools[{at}].labels", f"{key}: {value}", why)
