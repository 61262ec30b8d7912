"""What is kept: buckets, file systems; and reservations, which are reported."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.clouds.aws import tagged
from scripts.teardown.clouds.aws.account import Account, Kind, tags_of
from scripts.teardown.model import Thing

_DATA = "data outlives clusters"


def buckets(account: Account) -> list[Thing]:
    """What a bucket costs depends on what is in it, which nobody counts here."""
    found: list[Thing] = []
    for each in account.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", ResourceTypeFilters=["s3"]):
        if why := account.whose(tags_of(each)):
            name = str(each["ResourceARN"]).rpartition(":")[2]
            found.append(Thing(kind=k.BUCKET, id=name, name=name, why=why, monthly_usd=None, kept=_DATA))
    return found


def _delete_bucket(account: Account, thing: Thing) -> None:
    """S3 refuses while anything is in it: emptying is left to its owner."""
    account.told(
        f"delete bucket {thing.name} (only an empty one can be deleted)", lambda: account.client("s3").delete_bucket(Bucket=thing.id)
    )


def file_systems(account: Account) -> list[Thing]:
    """FSx and EFS."""
    found = account.pages("fsx", "describe_file_systems", "FileSystems")
    lustre = [
        Thing(
            kind=k.FILES, id=str(each["FileSystemId"]), name=tags.get("Name", ""), why=why, monthly_usd=_lustre(account, each), kept=_DATA
        )
        for each in found
        if each.get("Lifecycle") != "DELETING" and (why := account.whose(tags := tags_of(each)))
    ]
    return [*lustre, *tagged.elastic_file_systems(account)]


def _lustre(account: Account, each: dict[str, object]) -> float | None:
    """Price of its storage; None where its kind has none in the catalogue."""
    settings = each.get("LustreConfiguration")
    if not isinstance(settings, dict):
        return None
    sku = {"PERSISTENT_2": f"persistent_2_ssd_{settings.get('PerUnitStorageThroughput')}_gb_month", "SCRATCH_2": "scratch_2_ssd_gb_month"}
    return account.by_gib("fsx_lustre", sku.get(str(settings.get("DeploymentType")), ""), float(str(each.get("StorageCapacity") or 0)))


def _delete_files(account: Account, thing: Thing) -> None:
    if thing.detail.get("elastic"):
        tagged.delete_elastic(account, thing)
        return
    account.told(f"delete file system {thing.id}", lambda: account.client("fsx").delete_file_system(FileSystemId=thing.id))


def reservations(account: Account) -> list[Thing]:
    """On-demand reservations with the target's identity. Capacity blocks are paid already, and cannot be cancelled."""
    found = account.pages("ec2", "describe_capacity_reservations", "CapacityReservations")
    return [
        Thing(
            kind=k.RESERVATION,
            id=str(each["CapacityReservationId"]),
            name=f"{each.get('TotalInstanceCount')} x {each.get('InstanceType')}",
            why=why,
            monthly_usd=_times(account.machine(str(each.get("InstanceType")), spot=False), each.get("TotalInstanceCount")),
        )
        for each in found
        if each.get("State") in ("active", "pending")
        and each.get("ReservationType") != "capacity-block"
        and (why := account.whose(tags_of(each)))
    ]


def _times(price: float | None, count: object) -> float | None:
    return None if price is None or not isinstance(count, int) else price * count


def _cancel(account: Account, thing: Thing) -> None:
    account.told(f"cancel {thing.label}", lambda: account.client("ec2").cancel_capacity_reservation(CapacityReservationId=thing.id))


KINDS = (
    Kind(name=k.BUCKET, find=buckets, delete=_delete_bucket),
    Kind(name=k.FILES, find=file_systems, delete=_delete_files),
    Kind(name=k.RESERVATION, find=reservations, delete=_cancel),
)
