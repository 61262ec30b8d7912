"""What the idle watch on AWS looks at and whom it tells, as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from components.pool_outline import UNRESERVED
from components.refusals import SpecError
from components.spec import Spec

from .outline import PoolOutline

TOPIC = r"arn:(aws|aws-cn|aws-us-gov):sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}"
"""A standard topic: one whose name ends in `.fifo` sends no e-mail and takes no message without a group (SNS Developer Guide)."""
REMARK = (
    "idle.watch: it judges by the heartbeat alone, so a cluster without `gpukit heartbeat` stays unknown and is never scaled; "
    "it scales pools and holds no Kueue queue, which `gpukit idle --act` does; "
    "people on its own topic hear nothing until each has confirmed the subscription that SNS sends; its cost is not counted: "
    "some thousand short runs of a small function a month, the CloudWatch metrics that they read, and two alarms"
)


def watched(outlines: Sequence[PoolOutline]) -> tuple[PoolOutline, ...]:
    """GPU pools that bill by the hour: capacity that is paid for costs the same at zero."""
    return tuple(pool for pool in outlines if pool.market in UNRESERVED and pool.gpus_per_node)


def emails(spec: Spec) -> tuple[str, ...]:
    """Addresses that hear of it on a topic of its own."""
    return tuple(target for target in spec.idle.notify if "@" in target)


def watch_problems(spec: Spec, outlines: Sequence[PoolOutline]) -> Iterator[SpecError]:
    """A watch that nobody would hear of, or that has nothing to look at."""
    watch = spec.idle.watch
    if watch is None:
        return
    if watch.notify_arn is not None and not re.fullmatch(TOPIC, watch.notify_arn):
        message = "give the ARN of a standard SNS topic, arn:aws:sns:REGION:ACCOUNT:NAME"
        yield SpecError(path="idle.watch.notify_arn", value=watch.notify_arn, message=message)
    if watch.notify_arn is None and not emails(spec):
        message = "nobody would hear its warnings: give an e-mail address in idle.notify, or idle.watch.notify_arn"
        yield SpecError(path="idle.watch", value="on", message=message)
    if not watched(outlines):
        message = "no GPU pool can be watched: all are paid for in advance; remove it"
        yield SpecError(path="idle.watch", value="on", message=message)
