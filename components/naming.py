"""Names, labels and identity tags under each cloud's rules.

Identity tags say which stack made a thing and never change, so that teardown finds everything by them, and so that nothing rolls when
something else changes. Sources of the rules: "Tag naming limits" (AWS General Reference), "Requirements for labels" (Google Cloud
Resource Manager), "Use tags to organize your Azure resources" (Azure Resource Manager).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType

from .inventory import Cloud

MANAGED_BY = "gpukit"
SYSTEM_POOL = "system"
"""The pool that carries the cluster's own pods."""
POOL_LABEL = "gpukit/pool"
"""Kubernetes node label with the pool's name."""
FABRIC_LABEL = "gpukit/fabric"
"""Kubernetes node label that only pools with a fast fabric carry (A12)."""

RANDOM_SUFFIX = 8
"""Characters that Pulumi's automatic names add: a dash and seven hexadecimal digits."""


class Misnamed(ValueError):
    """A name, label or tag that the cloud would refuse. The text says which, why, and what fits."""


@dataclass(frozen=True, kw_only=True)
class TagRules:
    """What a cloud accepts as tag (GCP: label) on a resource."""

    own_key: str
    """Pattern of our own keys."""
    longest_key: int
    longest_value: int
    most: int
    key: re.Pattern[str]
    value: re.Pattern[str]
    words: str
    """The patterns in words, for messages."""
    reserved: tuple[str, ...] = ()


TAG_RULES: Mapping[Cloud, TagRules] = {
    "aws": TagRules(
        own_key="gpukit/{}",
        longest_key=128,
        longest_value=256,
        most=50,
        key=re.compile(r"[\w .:/=+@-]+"),
        value=re.compile(r"[\w .:/=+@-]*"),
        words="letters, digits, spaces and . : / = + @ _ -",
        reserved=("aws:",),
    ),
    "gcp": TagRules(
        own_key="gpukit-{}",
        longest_key=63,
        longest_value=63,
        most=64,
        key=re.compile(r"[a-z][a-z0-9_-]*"),
        value=re.compile(r"[a-z0-9_-]*"),
        words="lower-case letters, digits, _ and -",
        reserved=("goog",),
    ),
    "azure": TagRules(
        own_key="gpukit-{}",
        longest_key=512,
        longest_value=256,
        most=50,
        key=re.compile(r"[^<>%&\\?/]+"),
        value=re.compile(r".*"),
        words=r"anything but < > % & \ ? /",
        reserved=("microsoft", "azure", "windows"),
    ),
}

CLUSTER_NAME_LIMITS: Mapping[Cloud, int] = {"aws": 40, "gcp": 40, "azure": 63}
"""Longest cluster name on GKE and AKS. EKS takes 100, but our IAM roles, named after it with up to 24 more characters, only 64."""
POOL_NAME_LIMITS: Mapping[Cloud, int] = {"aws": 63, "gcp": 40, "azure": 89}
"""Longest name of an EKS node group and a GKE node pool. On Azure only logical names are so long: AKS's are `agent_pool_name`."""

AGENT_POOL_NAME = 12
"""Longest name of a Linux agent pool on AKS: lower-case letters and digits, the first one a letter."""
TIGHT_NAME = 24
"""Longest name of an Azure storage account or key vault."""
DIGEST = 4

LONGEST_ACCOUNT_ID = 30

_CLUSTER_NAME = re.compile(r"[a-z][a-z0-9-]*[a-z0-9]")


def cluster_name(cloud: Cloud, name: str) -> str:
    """`name` when the cloud takes it for a cluster. Raises Misnamed."""
    longest = CLUSTER_NAME_LIMITS[cloud]
    if not _CLUSTER_NAME.fullmatch(name) or len(name) > longest:
        raise Misnamed(f"cluster name {name!r}: use 2 to {longest} of a-z, 0-9 and -, starting with a letter, not ending in -")
    return name


def pool_name(cloud: Cloud, cluster: str, pool: str) -> str:
    """The logical name of a pool: unique over clusters, short enough for the cloud after Pulumi's suffix. Raises Misnamed."""
    name = f"{cluster}-{pool}"
    longest = POOL_NAME_LIMITS[cloud] - RANDOM_SUFFIX
    if len(name) > longest:
        raise Misnamed(f"pool {pool!r} of cluster {cluster!r}: both names together may have {longest - 1} characters, not {len(name) - 1}")
    return name


def account_id(identity: Identity, word: str) -> str:
    """Id of a Google service account (6 to 30 characters): cluster, `word`, and a digest of the identity.

    Two clusters of one name may stand in two regions of one project, where such ids must differ.
    """
    digest = sha256(f"{identity.stack}/{identity.cluster}/{word}".encode()).hexdigest()[:6]
    room = LONGEST_ACCOUNT_ID - len(word) - len(digest) - 2
    return f"{identity.cluster[:room].rstrip('-')}-{word}-{digest}"


def account_description(stack: str) -> str:
    """Description of a stack's Google service accounts: they carry no labels, and a teardown without a state knows them by this whole text."""
    return f"gpukit stack {stack}"


def agent_pool_name(pool: str, *fixed: str) -> str:
    """AKS's name for `pool`: what fits of its own, and four digits from all of it and from what can never change in a pool (`fixed`).

    H2: a fixed name would block the new pool that takes an old one's place; another decision gives another name.
    """
    digest = hashlib.sha256("\0".join((pool, *fixed)).encode()).hexdigest()[:DIGEST]
    return f"{_letters_and_digits(pool)[: AGENT_POOL_NAME - DIGEST]}{digest}"


def tight_name(word: str, *whose: str) -> str:
    """The logical name of what Azure gives 24 characters, unique in the whole of Azure: storage accounts and key vaults.

    It holds letters and digits alone, and leaves room for the eight digits that Pulumi adds.
    """
    digest = hashlib.sha256("\0".join((word, *whose)).encode()).hexdigest()[:DIGEST]
    return f"{_letters_and_digits(word)[: TIGHT_NAME - RANDOM_SUFFIX - DIGEST]}{digest}"


def _letters_and_digits(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name)


def tag_key(cloud: Cloud, word: str) -> str:
    """Our own tag key as the cloud spells it: `gpukit/stack`, `gpukit-stack`."""
    return TAG_RULES[cloud].own_key.format(word)


def identity_tags(cloud: Cloud, stack: str, cluster: str, resource: str, pool: str | None = None) -> dict[str, str]:
    """The tags that never change: stack, cluster, pool, logical name of the resource, and who manages it.

    Raises Misnamed when a value does not fit: a shortened identity would not be found again.
    """
    words = {"stack": stack, "cluster": cluster, "resource": resource, "managed-by": MANAGED_BY} | ({"pool": pool} if pool else {})
    tags = {tag_key(cloud, word): value for word, value in words.items()}
    for problem in problems(cloud, tags):
        raise Misnamed(problem)
    return tags


def problems(cloud: Cloud, tags: Mapping[str, str]) -> Iterable[str]:
    """What the cloud would refuse about `tags`, one sentence each."""
    rules = TAG_RULES[cloud]
    for key, value in tags.items():
        if not rules.key.fullmatch(key) or len(key) > rules.longest_key:
            yield f"tag key {key!r}: use at most {rules.longest_key} of {rules.words}"
        elif key.lower().startswith(rules.reserved):
            yield f"tag key {key!r}: {cloud} keeps the prefix {' and '.join(rules.reserved)} for itself"
        if not rules.value.fullmatch(value) or len(value) > rules.longest_value:
            yield f"tag {key!r} has the value {value!r}: use at most {rules.longest_value} of {rules.words}"


def problems_of_user_tags(cloud: Cloud, tags: Mapping[str, str]) -> Iterable[str]:
    """As `problems`, and: the user's tags may not pose as identity, and must leave room for it."""
    rules = TAG_RULES[cloud]
    yield from problems(cloud, tags)
    for key in tags:
        if key.lower().startswith(("gpukit/", "gpukit-")):
            yield f"tag key {key!r}: keys that start with {tag_key(cloud, '')} are gpukit's own, choose another"
    room = rules.most - 10  # five of ours, two mutable ones on the cluster, and what the cloud's own services add
    if len(tags) > room:
        yield f"{len(tags)} tags: {cloud} takes {rules.most} on a resource, of which gpukit and the cloud need 10; give at most {room}"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Who a resource belongs to. `user_tags` may change, the rest never does."""

    cloud: Cloud
    stack: str
    cluster: str
    user_tags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def fixed(self, resource: str, pool: str | None = None) -> dict[str, str]:
        """Identity alone, for what a change of tags would roll: launch templates."""
        return identity_tags(self.cloud, self.stack, self.cluster, resource, pool)

    def tags(self, resource: str, pool: str | None = None) -> dict[str, str]:
        """Identity and the user's tags; identity wins."""
        return {**self.user_tags, **self.fixed(resource, pool)}
