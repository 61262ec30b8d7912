"""Cloud Storage buckets: one name space for all of Google's customers. They hold no objects here."""

from __future__ import annotations

import re
from typing import Any

from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

_NAMES = "Cloud Storage documentation, bucket naming"
_NAME = re.compile(r"[a-z0-9][-_.a-z0-9]{1,61}[a-z0-9]")


def _admit(order: Order) -> None:
    name = order.text("name")
    if not _NAME.fullmatch(name) or name.startswith("goog") or "google" in name:
        raise Refusal("Error 400", f"Invalid bucket name: '{name}', invalid", source=_NAMES)
    if order.before is None and _taken(order, name):
        raise Refusal(
            "Error 409",
            "The requested bucket name is not available. The bucket namespace is shared by all users of the system. "
            "Please select a different name and try again., conflict",
            source="Cloud Storage JSON API, status codes: 409 conflict",
            status=409,
        )
    if (order.inputs.get("hierarchicalNamespace") or {}).get("enabled"):
        if not order.inputs.get("uniformBucketLevelAccess"):
            raise Refusal(
                "Error 400", "Hierarchical namespace requires uniform bucket-level access, invalid",
                source="Cloud Storage documentation, hierarchical namespace: limitations",
            )  # fmt: skip
        if (order.inputs.get("versioning") or {}).get("enabled"):
            raise Refusal(
                "Error 400", "Object versioning is not supported in buckets with hierarchical namespace, invalid",
                source="Cloud Storage documentation, hierarchical namespace: limitations",
            )  # fmt: skip
    if (order.inputs.get("retentionPolicy") or {}).get("retentionPeriod") and (order.inputs.get("versioning") or {}).get("enabled"):
        raise Refusal(
            "Error 400",
            "Retention policies and object versioning exclude each other, invalid",
            source="Cloud Storage documentation, bucket lock",
        )


def _taken(order: Order, name: str) -> bool:
    return any(record.kind == t.BUCKET and record.id == name for record in order.world.store)


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "selfLink": f"https://www.googleapis.com/storage/v1/b/{id_}",
        "url": f"gs://{id_}",
        "location": order.text("location").upper(),
        "storageClass": order.text("storageClass", "STANDARD"),
        "forceDestroy": order.inputs.get("forceDestroy", False),
        "timeCreated": order.before.state["timeCreated"] if order.before else order.world.clock.text(),
        "updated": order.world.clock.text(),
        "softDeletePolicy": order.inputs.get("softDeletePolicy") or {"retentionDurationSeconds": 604800},
        "projectNumber": 0,
    }


KINDS = (
    Kind(
        token=t.BUCKET,
        replace=frozenset({"name", "location", "project", "customPlacementConfig", "enableObjectRetention", "hierarchicalNamespace"}),
        auto_name="name",
        name_limit=63,
        identify=lambda order: order.text("name"),
        admit=_admit,
        outputs=_outputs,
        moving=frozenset({"updated"}),
    ),
)
