"""Known field failures that the rules catch, one line each: what is seen when nothing catches them."""

from __future__ import annotations

from collections.abc import Mapping

FAILURES: Mapping[str, str] = {
    "A1": "NCCL stops with error 4126 while TCP works: the EFA security group has no rule to itself, most often no egress rule",
    "A2": "EC2 refuses the launch: device indexes count on from the card index, beyond what a card takes",
    "A3": "nodes never start: without card indexes all interfaces land on card 0",
    "A4": "the launch fails: EFA on a card that takes none, as card 0 of P6-B300",
    "A5": "the launch fails, or bandwidth is lost: the number of EFA interfaces was taken from the number of cards",
    "A7": "EC2 refuses a public address on an instance with several interfaces",
    "A9": "InsufficientInstanceCapacity on capacity that is paid for: a placement group of one's own stands beside the reservation's",
    "B1": "the node group is refused, or the capacity block stays unused: market type, target and capacity type do not agree",
    "B2": "no capacity, or plain on-demand: the reservation's id got lost on the way into the launch template",
    "B3": "EKS refuses the node group: spot stands in its launch template",
    "B4": "the node group ends in CREATE_FAILED and takes no update: its first launch found no capacity",
    "B5": "stacks roll back after minutes: the machine is not offered where it is asked for",
    "B6": "no `nvidia.com/gpu` on GPU nodes: the standard image carries no driver",
    "B12": "EKS refuses the node group: machine types stand in it and in its launch template",
    "C1": "driver pods crash in a loop: the GPU Operator installs what the image ships already",
    "C3": "no `nvidia.com/gpu`, and validators wait for ever: neither image nor operator installs the driver",
    "E8": "OperationNotAllowed: the cores of a family, of the region or of all spot nodes exceed what the subscription may have",
    "H10": "a check passes in preview because the value was not known there, and the fault lands",
    "J1": "pods stay Pending without a message: the quota in vCPU, for each family and market, is too small",
    "J2": "`Quota 'GPUS_ALL_REGIONS' exceeded. Limit: 0.0 globally` though the region's own GPU quota was granted",
    "J8": "the bill is a multiple of the estimate: it counted the desired size, not the maximum with surge",
}
