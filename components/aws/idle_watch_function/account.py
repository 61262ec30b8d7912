"""What the idle watch asks of AWS, and the little that it changes: tags and sizes of the node groups that it was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from components import heartbeat

from .rest import LEAST_GPUS, MOST_GPUS, USES, Points
from .step import Group

ENDED = ("Terminated", "Warmed:Stopped")
"""Lifecycle states of machines that do not bill (EC2 Auto Scaling User Guide, "Instance lifecycle")."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """boto3's clients. Every method raises what they raise: a refusal is never an answer."""

    eks: Any
    autoscaling: Any
    cloudwatch: Any
    sns: Any

    def cluster_tags(self, cluster: str) -> Mapping[str, str]:
        return dict(self.eks.describe_cluster(name=cluster)["cluster"].get("tags") or {})

    def group(self, cluster: str, name: str) -> Group:
        found = self.eks.describe_nodegroup(clusterName=cluster, nodegroupName=name)["nodegroup"]
        scaling = found["scalingConfig"]
        return Group(
            arn=str(found["nodegroupArn"]),
            name=str(found["nodegroupName"]),
            status=str(found["status"]),
            minimum=int(scaling["minSize"]),
            desired=int(scaling["desiredSize"]),
            maximum=int(scaling["maxSize"]),
            tags=dict(found.get("tags") or {}),
            scaling_groups=tuple(str(each["name"]) for each in (found.get("resources") or {}).get("autoScalingGroups") or ()),
        )

    def gpus(self, group: Group, by_machine: Mapping[str, int]) -> int | None:
        """GPUs of the machines that bill, those that are ending too; None when a scaling group, or a machine's type, is not told of."""
        if not group.scaling_groups:
            return None
        found = self.autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=list(group.scaling_groups))["AutoScalingGroups"]
        if {str(each["AutoScalingGroupName"]) for each in found} != set(group.scaling_groups):
            return None
        machines = [machine for each in found for machine in each.get("Instances") or () if machine.get("LifecycleState") not in ENDED]
        counts = [by_machine.get(str(machine.get("InstanceType"))) for machine in machines]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def beats(self, cluster: str, pool: str, now: datetime, window_minutes: float) -> dict[str, Points]:
        """The heartbeat of a pool over the window, by name of `rest.SERIES`."""
        asked = [(LEAST_GPUS, heartbeat.GPUS, "Minimum"), (MOST_GPUS, heartbeat.GPUS, "Maximum"), *((use, use, "Maximum") for use in USES)]
        span = {
            "StartTime": now - timedelta(minutes=window_minutes),
            "EndTime": now + timedelta(minutes=heartbeat.SKEW_MINUTES),
            "MetricDataQueries": [_query(id_, metric, statistic, cluster, pool) for id_, metric, statistic in asked],
        }
        found: dict[str, list[tuple[float, float]]] = {}
        more: dict[str, str] = {}
        while True:
            answer = self.cloudwatch.get_metric_data(**span, **more)
            for result in answer["MetricDataResults"]:
                pairs = zip(result.get("Timestamps") or (), result.get("Values") or (), strict=True)
                found.setdefault(str(result["Id"]), []).extend((at.timestamp(), float(value)) for at, value in pairs)
            if not answer.get("NextToken"):
                return dict(found)
            more = {"NextToken": str(answer["NextToken"])}

    def tag(self, group: Group, tags: Mapping[str, str]) -> None:
        self.eks.tag_resource(resourceArn=group.arn, tags=dict(tags))

    def untag(self, group: Group, key: str) -> None:
        self.eks.untag_resource(resourceArn=group.arn, tagKeys=[key])

    def to_zero(self, cluster: str, group: Group) -> None:
        """The maximum stays: EKS takes none below 1."""
        sizes = {"minSize": 0, "desiredSize": 0, "maxSize": max(group.maximum, 1)}
        self.eks.update_nodegroup_config(clusterName=cluster, nodegroupName=group.name, scalingConfig=sizes)

    def publish(self, topic: str, subject: str, text: str) -> None:
        self.sns.publish(TopicArn=topic, Subject=subject, Message=text)


def _query(id_: str, metric: str, statistic: str, cluster: str, pool: str) -> dict[str, Any]:
    dimensions = [{"Name": heartbeat.CLUSTER, "Value": cluster}, {"Name": heartbeat.POOL, "Value": pool}]
    of = {"Namespace": heartbeat.NAMESPACE, "MetricName": metric, "Dimensions": dimensions}
    return {"Id": id_, "MetricStat": {"Metric": of, "Period": heartbeat.BEAT_SECONDS, "Stat": statistic}}
