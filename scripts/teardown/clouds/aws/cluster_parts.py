"""The cluster, and what belongs to it outside of its network: identity provider, roles, keys, logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from components.naming import tag_key
from scripts.errors import Refused
from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.clouds.cloud import ClusterFacts
from scripts.teardown.model import Scope, Thing

_KEY_DAYS = 7
"""Shortest waiting period of KMS (API reference, ScheduleKeyDeletion)."""


def facts(account: Account) -> ClusterFacts | None:
    name = account.target.cluster
    shown = account.told(f"describe cluster {name}", lambda: account.client("eks").describe_cluster(name=name)["cluster"])
    if shown is None:
        return None
    network = str((shown.get("resourcesVpcConfig") or {}).get("vpcId") or "")
    issuer = str(((shown.get("identity") or {}).get("oidc") or {}).get("issuer") or "")
    return ClusterFacts(
        name=name,
        ready=shown.get("status") == "ACTIVE",
        protected=bool(shown.get("deletionProtection")),
        endpoint=str(shown.get("endpoint") or ""),
        authority=str((shown.get("certificateAuthority") or {}).get("data") or ""),
        token_command=("aws", "eks", "get-token", "--cluster-name", name, "--region", account.target.region, "--output", "json"),
        scope=Scope(network=network, issuer=issuer, stack=tags_of(shown, "tags").get(tag_key("aws", "stack"), "")),
    )


def namesakes(account: Account) -> tuple[str, ...]:
    """Regions with a cluster of the target's name, apart from the target's own. Raises Refused where that is no region of the account."""
    shown = account.told("list the account's regions", lambda: account.client("ec2").describe_regions(AllRegions=False)["Regions"])
    regions = sorted(str(each["RegionName"]) for each in shown or ())
    own, name = account.target.region, account.target.cluster
    if own not in regions:
        raise Refused(f"--region {own} is none of the account's regions: give one of {', '.join(regions)}. Nothing was changed.")
    return tuple(
        region
        for region in regions
        if region != own
        and account.told(
            f"describe cluster {name} in {region}", lambda region=region: account.client("eks", region).describe_cluster(name=name)
        )
    )


def clusters(account: Account) -> list[Thing]:
    found = facts(account)
    if found is None:
        return []
    price = account.hourly("eks_control_plane", "standard")
    return [
        Thing(
            kind=k.CLUSTER,
            id=found.name,
            name=found.name,
            why="the target itself",
            monthly_usd=price,
            detail={"leaving": _leaving(account)},
        )
    ]


def _leaving(account: Account) -> bool:
    name = account.target.cluster
    shown = account.told(f"describe cluster {name}", lambda: account.client("eks").describe_cluster(name=name)["cluster"])
    return shown is not None and shown.get("status") == "DELETING"


def _delete_cluster(account: Account, thing: Thing) -> None:
    if not thing.detail.get("leaving"):
        account.told(f"delete cluster {thing.name}", lambda: account.client("eks").delete_cluster(name=thing.name))


def providers(account: Account) -> list[Thing]:
    """By the issuer's whole address, or by tag."""
    listed = account.told(
        "list identity providers", lambda: account.client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"]
    )
    found: list[Thing] = []
    for each in listed or ():
        arn = str(each["Arn"])
        shown = account.told(
            f"read {arn}", lambda arn=arn: account.client("iam").get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
        )
        if shown is not None and (why := account.whose(tags_of(shown)) or _by_issuer(account, str(shown.get("Url")))):
            found.append(Thing(kind=k.PROVIDER, id=arn, why=why))
    return found


def _by_issuer(account: Account, url: str) -> str:
    issuer = account.scope.issuer.split("://", 1)[-1]
    return "the cluster's own issuer" if issuer and url.split("://", 1)[-1] == issuer else ""


def _delete_provider(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("iam").delete_open_id_connect_provider(OpenIDConnectProviderArn=thing.id))


def roles(account: Account) -> list[Thing]:
    """Roles named after the cluster whose tags say that they are its own: the name alone would take those of `train-2` for `train`'s."""
    cluster = account.target.cluster
    names = [str(each["RoleName"]) for each in account.pages("iam", "list_roles", "Roles") if str(each["RoleName"]).startswith(cluster)]
    found: list[Thing] = []
    for name in names:
        shown = account.told(f"read role {name}", lambda name=name: account.client("iam").get_role(RoleName=name)["Role"])
        if shown is not None and (why := account.whose(tags_of(shown))):
            found.append(Thing(kind=k.ROLE, id=name, name=name, why=why, kept=account.kept(tags_of(shown))))
    return found


def _delete_role(account: Account, thing: Thing) -> None:
    iam = account.client("iam")
    for policy in account.pages("iam", "list_attached_role_policies", "AttachedPolicies", RoleName=thing.id):
        arn = str(policy["PolicyArn"])
        account.told(f"detach {arn}", lambda arn=arn: iam.detach_role_policy(RoleName=thing.id, PolicyArn=arn))
    names = account.told(f"list policies of {thing.id}", lambda: iam.list_role_policies(RoleName=thing.id)["PolicyNames"])
    for name in names or ():
        account.told(f"delete policy {name}", lambda name=name: iam.delete_role_policy(RoleName=thing.id, PolicyName=name))
    account.told(f"delete {thing.label}", lambda: iam.delete_role(RoleName=thing.id))


def logs(account: Account) -> list[Thing]:
    """The group that EKS writes to goes by an exact name, and often carries no tag. What stored logs cost depends on their size."""
    exact = f"/aws/eks/{account.target.cluster}/cluster"
    found: list[Thing] = []
    for each in _log_groups(account, exact):
        name = str(each["logGroupName"])
        tags = (
            account.told(
                f"read tags of {name}", lambda each=each: account.client("logs").list_tags_for_resource(resourceArn=_log_arn(each))["tags"]
            )
            or {}
        )
        why = account.whose(tags) or ("EKS's own name for this cluster's logs" if name == exact and not tags else "")
        if why:
            found.append(
                Thing(
                    kind=k.LOGS, id=name, name=name, why=why, monthly_usd=None if each.get("storedBytes") else 0.0, kept=account.kept(tags)
                )
            )
    return found


def _log_groups(account: Account, exact: str) -> Iterator[Mapping[str, Any]]:
    """Groups below the names that AWS and this project's network use for a cluster, and those of its functions, which its name begins."""
    for prefix in (exact, f"/aws/vpc/{account.target.cluster}", account.target.cluster):
        yield from account.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=prefix)


def _log_arn(each: Mapping[str, Any]) -> str:
    return str(each["arn"]).removesuffix(":*")


def _delete_logs(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("logs").delete_log_group(logGroupName=thing.id))


def keys(account: Account) -> list[Thing]:
    """Keys by their tags. One that waits for its end bills nothing (AWS KMS pricing) and can be taken back until then."""
    found: list[Thing] = []
    for each in account.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", ResourceTypeFilters=["kms:key"]):
        tags = tags_of(each)
        if why := account.whose(tags):
            id_ = str(each["ResourceARN"]).rpartition("/")[2]
            shown = account.told(f"read key {id_}", lambda id_=id_: account.client("kms").describe_key(KeyId=id_)["KeyMetadata"])
            if shown is not None:
                found.append(_key(id_, shown, account.kept(tags), why))
    return found


def _key(id_: str, shown: Mapping[str, Any], kept: str, why: str) -> Thing:
    name, until = str(shown.get("Description") or ""), shown.get("DeletionDate")
    if shown.get("KeyState") == "PendingDeletion":
        ends = f" on {until:%Y-%m-%d}" if isinstance(until, datetime) else ""
        return Thing(kind=k.KEY, id=id_, name=name, why=why, kept=f"ends by itself{ends}; can be taken back until then")
    return Thing(kind=k.KEY, id=id_, name=name, why=why, monthly_usd=None, kept=kept)


def _delete_key(account: Account, thing: Thing) -> None:
    account.told(
        f"schedule the end of {thing.label}",
        lambda: account.client("kms").schedule_key_deletion(KeyId=thing.id, PendingWindowInDays=_KEY_DAYS),
    )


def aliases(account: Account) -> list[Thing]:
    """An alias carries no tags: it belongs to its key."""
    mine = {key.id: key for key in keys(account)}
    return [
        Thing(kind=k.KEY_ALIAS, id=str(each["AliasName"]), why=f"of key {each['TargetKeyId']}")
        for key in mine
        for each in account.pages("kms", "list_aliases", "Aliases", KeyId=key)
        if not mine[key].kept
    ]


def _delete_alias(account: Account, thing: Thing) -> None:
    account.told(f"delete {thing.label}", lambda: account.client("kms").delete_alias(AliasName=thing.id))


KINDS = (
    Kind(name=k.CLUSTER, find=clusters, delete=_delete_cluster),
    Kind(name=k.LOGS, find=logs, delete=_delete_logs),
    Kind(name=k.KEY_ALIAS, find=aliases, delete=_delete_alias),
    Kind(name=k.KEY, find=keys, delete=_delete_key),
    Kind(name=k.PROVIDER, find=providers, delete=_delete_provider),
    Kind(name=k.ROLE, find=roles, delete=_delete_role),
)
