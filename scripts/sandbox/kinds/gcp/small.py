"""Types with little of their own: keys, budgets, channels, log buckets and sinks, TPU VMs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

_KMS = "Cloud KMS API reference, keyRings and cryptoKeys"
_BUDGETS = "Cloud Billing Budget API reference, billingAccounts.budgets"
_LOGGING = "Cloud Logging API reference"
_KEPT_FOR_GOOD = "Cloud KMS documentation: key rings and keys cannot be deleted"
_SHORTEST_ROTATION = 86400


def _ring_id(order: Order) -> str:
    return f"projects/{order.account}/locations/{order.text('location')}/keyRings/{order.text('name')}"


def _key_id(order: Order) -> str:
    return f"{order.text('keyRing')}/cryptoKeys/{order.text('name')}"


def _admit_ring(order: Order) -> None:
    if order.before is None and any(other.id == _ring_id(order) for other in order.peers()):
        raise Refusal(
            "Error 409", f"KeyRing {_ring_id(order)} already exists., alreadyExists", source=f"{_KMS}; {_KEPT_FOR_GOOD}", status=409
        )


def _admit_key(order: Order) -> None:
    paths.find(order, t.KEY_RING, order.inputs.get("keyRing"), "locations/global/keyRings")
    if order.before is None and any(other.id == _key_id(order) for other in order.peers()):
        raise Refusal(
            "Error 409", f"CryptoKey {_key_id(order)} already exists., alreadyExists", source=f"{_KMS}; {_KEPT_FOR_GOOD}", status=409
        )
    period = order.text("rotationPeriod").removesuffix("s")
    if period and (not period.replace(".", "", 1).isdigit() or float(period) < _SHORTEST_ROTATION):
        raise Refusal(
            "Error 400",
            "rotation_period must be at least 24 hours, invalid",
            source="Terraform Google provider, kms_crypto_key: rotation_period",
        )


def _budget_id(order: Order) -> str:
    if order.before is not None:
        return order.before.id
    digits = order.world.new_id("", 32)
    unique = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    return f"billingAccounts/{order.text('billingAccount')}/budgets/{unique}"


def _admit_budget(order: Order) -> None:
    labels = cast("dict[str, Any]", (order.inputs.get("budgetFilter") or {}).get("labels") or {})
    if len(labels) > 1:
        raise Refusal("Error 400", "a budget filters by one label at most, invalid", source=f"{_BUDGETS}: Filter.labels")
    for rule in order.inputs.get("thresholdRules") or ():
        if float(rule.get("thresholdPercent") or 0) < 0:
            raise Refusal("Error 400", "thresholdPercent must not be negative, invalid", source=f"{_BUDGETS}: ThresholdRule")
    alerts = cast("dict[str, Any]", order.inputs.get("allUpdatesRule") or {})
    if len(alerts.get("monitoringNotificationChannels") or ()) > 5:  # the API's own bound
        raise Refusal("Error 400", "a budget tells 5 channels at most, invalid", source=f"{_BUDGETS}: NotificationsRule")


def _channel_id(order: Order) -> str:
    return order.before.id if order.before else f"projects/{order.account}/notificationChannels/{paths.number(order, 'number')}"


def _log_bucket_id(order: Order) -> str:
    project = order.text("project") or order.account
    return f"projects/{project.removeprefix('projects/')}/locations/{order.text('location')}/buckets/{order.text('bucketId')}"


def _admit_log_bucket(order: Order) -> None:
    days = order.inputs.get("retentionDays")
    if days is not None and not 1 <= int(days) <= 3650:
        raise Refusal("Error 400", f"retentionDays {days} is not between 1 and 3650, invalid", source=f"{_LOGGING}, LogBucket")


def _sink_id(order: Order) -> str:
    return f"projects/{order.account}/sinks/{order.text('name')}"


def _tpu_id(order: Order) -> str:
    return f"projects/{order.account}/locations/{paths.zone(order)}/nodes/{order.text('name')}"


def _admit_tpu(order: Order) -> None:
    paths.refuse_name(order)
    if not order.text("runtimeVersion"):
        raise Refusal("Error 400", "runtimeVersion is required, invalid", source="Cloud TPU API v2, Node")
    if bool(order.inputs.get("acceleratorType")) == bool(order.inputs.get("acceleratorConfig")):
        raise Refusal(
            "Error 400", "exactly one of acceleratorType and acceleratorConfig is needed, invalid", source="Cloud TPU API v2, Node"
        )
    scheduling = cast("dict[str, Any]", order.inputs.get("schedulingConfig") or {})
    if scheduling.get("reserved") and (scheduling.get("spot") or scheduling.get("preemptible")):
        raise Refusal("Error 400", "reserved capacity is not spot, invalid", source="Cloud TPU API v2, SchedulingConfig")


def _first_made(order: Order, *names: str) -> dict[str, Any]:
    before: Mapping[str, Any] = order.before.state if order.before else {}
    return {name: before.get(name) or order.world.clock.text() for name in names}


KINDS = (
    Kind(
        token=t.KEY_RING, replace=frozenset({"name", "location", "project"}), auto_name="name", name_limit=63, identify=_ring_id, admit=_admit_ring,
    ),
    Kind(
        token=t.KEY, replace=frozenset({"name", "keyRing", "purpose", "importOnly", "skipInitialVersionCreation", "destroyScheduledDuration", "cryptoKeyBackend"}),
        auto_name="name", name_limit=63, identify=_key_id, admit=_admit_key,
        outputs=lambda order, _: {"purpose": order.text("purpose", "ENCRYPT_DECRYPT")},
    ),
    Kind(
        token=t.BUDGET, replace=frozenset({"billingAccount"}), identify=_budget_id, admit=_admit_budget, outputs=lambda _, id_: {"name": id_},
    ),
    Kind(
        token=t.CHANNEL, replace=frozenset({"project"}), identify=_channel_id,
        outputs=lambda _, id_: {"name": id_, "verificationStatus": "VERIFICATION_STATUS_UNSPECIFIED"},
    ),
    Kind(
        token=t.LOG_BUCKET, replace=frozenset({"project", "location", "bucketId"}), identify=_log_bucket_id, admit=_admit_log_bucket,
        outputs=lambda order, id_: {"name": id_, "lifecycleState": "ACTIVE", **_first_made(order, "createTime")},
    ),
    Kind(
        token=t.LOG_SINK, replace=frozenset({"name", "project", "uniqueWriterIdentity"}), auto_name="name", name_limit=100, identify=_sink_id,
        outputs=lambda order, _: {"writerIdentity": f"serviceAccount:service-logging@{order.account}.iam.gserviceaccount.com"},
    ),
    Kind(
        token=t.TPU_VM,
        replace=frozenset({"name", "project", "zone", "runtimeVersion", "acceleratorType", "acceleratorConfig", "networkConfig", "schedulingConfig", "cidrBlock", "dataDisks"}),
        auto_name="name", name_limit=63, identify=_tpu_id, admit=_admit_tpu,
        outputs=lambda order, _: {"state": "READY", "health": "HEALTHY", "apiVersion": "V2", "zone": paths.zone(order)},
        starts="READY", starting="CREATING", create_seconds=120, delete_seconds=60,
    ),
)  # fmt: skip
