"""When AKS may work on a cluster by itself."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_azure_native import containerservice

from .upgrades import WEEKLY, WINDOW_DAY, WINDOW_HOURS, WINDOW_START


def maintenance_windows(
    name: str, resource_group: pulumi.Input[str], cluster_name: pulumi.Input[str], windows: Sequence[str], parent: pulumi.Resource
) -> None:
    """A configuration for each of `windows`, all at the same time of the week."""
    for window in windows:
        hours = int(WINDOW_START.split(":")[0])
        weekly = containerservice.TimeInWeekArgs(day=WINDOW_DAY, hour_slots=list(range(hours, hours + WINDOW_HOURS)))
        containerservice.MaintenanceConfiguration(
            f"{name}-{window}",
            config_name=window,
            resource_group_name=resource_group,
            resource_name_=cluster_name,
            time_in_week=[weekly] if window == WEEKLY else None,
            maintenance_window=None if window == WEEKLY else _weekly(),
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _weekly() -> containerservice.MaintenanceWindowArgs:
    schedule = containerservice.ScheduleArgs(weekly=containerservice.WeeklyScheduleArgs(day_of_week=WINDOW_DAY, interval_weeks=1))
    return containerservice.MaintenanceWindowArgs(
        schedule=schedule, start_time=WINDOW_START, duration_hours=WINDOW_HOURS, utc_offset="+00:00"
    )
