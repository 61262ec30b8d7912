"""Names of the kinds of things in the clouds, shared by all of them. Objects in a cluster go by Kubernetes' own kinds."""

from __future__ import annotations

POOL = "node pool"
CLUSTER = "cluster"
INSTANCE = "instance"
BALANCER = "load balancer"
TARGETS = "target group"
"""What a load balancer forwards to: target groups, backend services, endpoint groups."""
VOLUME = "volume"
INTERFACE = "network interface"
FIREWALL = "security group"
"""Security groups, firewall rules."""
ENDPOINT = "network endpoint"
ZONE = "private zone"
ZONE_LINK = "private zone link"
NAT = "NAT gateway"
ADDRESS = "public address"
GATEWAY = "internet gateway"
ROUTES = "route table"
SUBNET = "subnet"
NETWORK = "network"
TEMPLATE = "launch template"
PLACEMENT = "placement group"
LOGS = "log group"
FLOW_LOG = "flow log"
KEY_ALIAS = "key alias"
KEY = "key"
GRANT = "role assignment"
"""What an identity may do; ends before the identity."""
ROLE = "role"
PROVIDER = "identity provider"
GROUP = "resource group"
QUEUE = "message queue"
RULE = "event rule"
ALARM = "alarm"
FUNCTION = "function"
TOPIC = "message topic"
PROFILE = "instance profile"
BUDGET = "budget"
BUCKET = "bucket"
FILES = "file system"
SNAPSHOT = "snapshot"
RESERVATION = "capacity reservation"
OTHER = "tagged resource"
"""Something with the target's identity that gpukit does not know how to delete: reported, never ignored."""

MACHINES = (POOL, INSTANCE)
BALANCERS = (BALANCER, TARGETS)
DATA = (BUCKET, FILES, VOLUME, SNAPSHOT)
NETWORKING = (ENDPOINT, ZONE_LINK, ZONE, NAT, ADDRESS, FIREWALL, ROUTES, GATEWAY, SUBNET, FLOW_LOG, NETWORK)
"""In the order in which a network comes apart."""
REST = (
    TEMPLATE, PLACEMENT, LOGS, KEY_ALIAS, KEY, PROVIDER, PROFILE, GRANT, ROLE, ALARM, RULE, FUNCTION, TOPIC, QUEUE, BUDGET, GROUP,
)  # fmt: skip
EVERYTHING = (*MACHINES, CLUSTER, *BALANCERS, VOLUME, INTERFACE, *NETWORKING, *REST, BUCKET, FILES, SNAPSHOT, RESERVATION, OTHER)
