"""Each rule over several fields: a valid file, one thing changed, the exact refusal."""

from __future__ import annotations

import pytest

from tests.spec.documents import MAKERS, Document, changed, errors

CASES = [
    # identity
    ("aws", "account", "1234", "account", "an AWS account id is 12 digits"),
    ("gcp", "account", "My Project", "account", "a GCP project id is 6 to 30"),
    ("azure", "account", "123456789012", "account", "an Azure subscription id is a UUID"),
    ("aws", "kubernetes_version", "1.35.2", "kubernetes_version", 'write a minor version in quotes, such as "1.35"'),
    ("aws", "billing_account", "012345-6789AB-CDEF01", "billing_account", "only budgets on GCP need it: remove it on aws"),
    ("gcp", "billing_account", "my account", "billing_account", "write it as 012345-6789AB-CDEF01"),
    # access
    ("aws", "access.api_cidrs", [], "access.api_cidrs", "a public API needs the ranges that may reach it: list them, or set api: private"),
    ("aws", "access.api_cidrs", ["0.0.0.0/0"], "access.api_cidrs[0]", "lets everyone reach the Kubernetes API"),
    ("aws", "access.api_cidrs", ["203.0.113.0/24", "128.0.0.0/1"], "access.api_cidrs[1]", "lets a large part of the internet reach"),
    ("aws", "access.api", "private", "access.api_cidrs", "a private API has no public ranges"),
    ("aws", "access.admins", ["arn:aws:sts::123456789012:assumed-role/a/b"], "access.admins[0]", "is a session, which ends: give the role"),
    ("aws", "access.admins", ["platform"], "access.admins[0]", "give the ARN of an IAM role or user"),
    ("gcp", "access.viewers", ["platform"], "access.viewers[0]", "give an e-mail address, or user:…"),
    ("azure", "access.viewers", ["platform"], "access.viewers[0]", "give the object id (a UUID) of an Entra group"),
    ("aws", "access.kubeconfig", {"role": "platform"}, "access.kubeconfig.role", "give the ARN of an IAM role or user"),
    ("aws", "access.kubeconfig", {"role": "arn:aws:iam::123456789012:role/x"}, "access.kubeconfig.role", "has no access entry"),
    ("gcp", "access.kubeconfig", {"profile": "work"}, "access.kubeconfig.profile", "the token command of gcp takes none"),
    # add-ons
    ("aws", "addon_versions", {"core-dns": "v1.13.2-eksbuild.1"}, "addon_versions", "did you mean coredns"),
    ("aws", "addon_versions", {"coredns": "latest"}, "addon_versions.coredns", "is no version: take one of `aws eks describe-addon"),
    ("aws", "addon_versions", {"kube-proxy": "v1.31.0-eksbuild.2"}, "addon_versions.kube-proxy", "has the minor version of its cluster"),
    ("azure", "addon_versions", {"coredns": "v1.13.2-eksbuild.1"}, "addon_versions.coredns", "EKS alone has add-ons with versions"),
    # network
    ("aws", "network.zones", ["us-east-1d"], "network.zones", "aws needs 2 zones for the control plane"),
    ("aws", "network.zones", ["us-east-1d", "us-west-2b"], "network.zones[1]", "lies outside the stack's region us-east-1"),
    ("aws", "network.zones", ["us-east-1d", "us-east-1d"], "network.zones[1]", "is there already: name each zone once"),
    ("aws", "network.zones", ["us-east-1d", "1"], "network.zones[1]", "is no zone of aws: write one such as us-east-1d or use1-az2"),
    ("aws", "network.zones", ["us-east-1d", "use1-az1"], "network.zones", "mixes names and ids"),
    ("azure", "network.zones", ["eastus-1"], "network.zones[0]", 'is no zone of azure: write one such as "1"'),
    ("aws", "network.cidr", "8.8.0.0/16", "network.cidr", "is public address space"),
    ("aws", "network.nat", "none", "network.nat", "leaves nodes without a way to images and APIs"),
    (
        "aws",
        "network.existing",
        {"network": "vpc-1", "node_subnets": {"us-east-1d": "s"}},
        "network.zones",
        "remove it, or remove network.existing",
    ),
    ("aws", "network", {"existing": {"network": "vpc-1", "node_subnets": {}}}, "network.existing.node_subnets", "names no subnet"),
    (
        "aws",
        "network",
        {"existing": {"network": "vpc-1", "node_subnets": {"us-east-1d": "s"}, "pod_range": "pods"}},
        "network.existing.pod_range",
        "exists on gcp only: remove it on aws",
    ),
    (
        "gcp",
        "network",
        {"existing": {"network": "n", "node_subnets": {"us-central1-a": "s"}, "fabric_cidr": "8.8.0.0/16"}},
        "network.existing.fabric_cidr",
        "is public address space",
    ),
    ("aws", "encryption_key", "alias/mine", "encryption_key", "is built on gcp only: remove it on aws"),
    ("gcp", "encryption_key", "mine", "encryption_key", "write the key as projects/"),
    ("aws", "pools.0.fabric", "dranet", "pools[0].fabric", "is GKE's way to manage a fabric: use auto or none on aws"),
    # machines
    ("aws", "pools.0.machine", None, "pools[0].machine", "is missing: name the machine type"),
    ("aws", "pools.0.machines", ["p4de.24xlarge"], "pools[0].machines", "stands beside machine: give one of the two"),
    ("aws", "pools.0.machine", "p5.24xlarge", "pools[0].machine", "did you mean p5.4xlarge or p5.48xlarge or "),
    ("aws", "system.machine", "m7i.lrge", "system.machine", "did you mean m7i.large or "),
    ("aws", "pools.0.machine", "p4d.24xlrge", "pools[0].machine", "did you mean p4d.24xlarge or p4de.24xlarge or "),
    ("aws", "pools.0.machine", "a3-megagpu-8g", "pools[0].machine", "is a machine of gcp, and this cluster runs on aws"),
    ("aws", "pools.0.machine", "m7i.large", "pools[0].machine", "has no GPU, and these pools are GPU pools"),
    ("aws", "system.machine", "g5.2xlarge", "system.machine", "carries 1 A10G, paid for by pods that use none"),
    ("aws", "system.machine", "m7i.lrge", "system.machine", "is no aws machine that the catalogue knows"),
    ("aws", "system.nodes", {"min": 0, "max": 2}, "system.nodes.min", "always need a node: give at least 1"),
    ("aws", "pools.0.name", "system", "pools[0].name", "is the name of the pool for the cluster's own pods"),
    # zones of pools
    ("aws", "pools.0.zone", None, "pools[0].zone", "live in one zone, and capacity differs by zone; allowed: us-east-1b, us-east-1d"),
    ("gcp", "pools.0.zone", None, "pools[0].zone", "live in one zone"),
    ("aws", "pools.0.zone", "us-east-1a", "pools[0].zone", "the network has no subnet there; allowed: us-east-1b, us-east-1d"),
    ("aws", "pools.0.zone", "us-west-2a", "pools[0].zone", "lies outside the stack's region us-east-1"),
    ("aws", "pools.0.zone", "use1-az6", "pools[0].zone", "the network names its zones the other way"),
    ("gcp", "pools.0.zone", "us-central1", "pools[0].zone", "is no zone of gcp: write one such as us-central1-a"),
    # sharing
    ("aws", "pools.0.sharing", {"time_slices": 2}, "pools[0].sharing.time_slices", "training pools take none: use {mig: …} or none"),
    ("aws inference", "pools.0.sharing", {"mig": "1g.5gb"}, "pools[0].sharing.mig", "A10G of g5.2xlarge cannot be divided"),
    ("aws", "pools.0.sharing", {"mig": "1G 10"}, "pools[0].sharing.mig", "write a profile such as 1g.10gb"),
    # options
    ("aws", "pools.0.image", "al2024", "pools[0].image", "allowed: auto, al2023, bottlerocket, ubuntu; did you mean al2023?"),
    ("aws", "pools.0.topology", "4x4", "pools[0].topology", "is for TPU pools, which GCP alone has: remove it on aws"),
    ("gcp", "pools.0.topology", "4x4", "pools[0].topology", "is for TPU machines, and a3-megagpu-8g has H100"),
    ("azure", "pools.0.placement", {"group": "near"}, "pools[0].placement.group", "give the id of the proximity placement group"),
    ("aws", "pools.0.labels", {"gpukit/pool": "x"}, "pools[0].labels", "keys that begin with gpukit/ are reserved"),
    ("aws", "pools.0.labels", {"a b": "x"}, "pools[0].labels", "is no Kubernetes label"),
    ("aws", "tags", {"gpukit/stack": "x"}, "tags", "teardown finds resources by such tags"),
    ("aws", "tags", {"AWS:x": "x"}, "tags", "keys that begin with aws: are reserved"),
    # sections
    ("aws", "storage.shared_filesystem", {"tib": 4.8, "mount": "shared"}, "storage.shared_filesystem.mount", "write an absolute path"),
    (
        "aws",
        "storage",
        {"buckets": [{"name": "checkpoints"}], "shared_filesystem": {"tib": 4.8, "bucket": "checkpoint"}},
        "storage.shared_filesystem.bucket",
        "did you mean checkpoints?",
    ),
    ("aws", "storage.buckets", [{"name": "a"}, {"name": "a"}], "storage.buckets[1].name", "storage.buckets[0] is called so too"),
    (
        "aws",
        "queue.teams",
        [{"name": "a", "gpus": 1}, {"name": "a", "gpus": 2}],
        "queue.teams[1].name",
        "each team needs a name of its own",
    ),
    (
        "aws",
        "pricing.commitments",
        [{"kind": "savings_plan", "pool": "a10", "discount_percent": 40}],
        "pricing.commitments[0].pool",
        "did you mean a100?",
    ),
    (
        "aws",
        "pricing.commitments",
        [{"kind": "committed_use", "pool": "a100", "discount_percent": 40}],
        "pricing.commitments[0].kind",
        "aws sells no such agreement; allowed: savings_plan, reserved, negotiated",
    ),
    (
        "aws",
        "pricing.interruptions",
        [{"pool": "a10", "per_day": 2, "lost_minutes": 30}],
        "pricing.interruptions[0].pool",
        "only spot nodes are taken away",
    ),
    ("aws", "idle.notify", ["#alerts"], "idle.notify[0]", "give an e-mail address, or env:NAME"),
]


@pytest.mark.parametrize(("maker", "path", "value", "where", "words"), CASES, ids=[f"{c[0]} {c[3]}: {c[4][:40]}" for c in CASES])
def test_one_wrong_thing_gives_one_refusal_that_says_what_to_do(maker: str, path: str, value: object, where: str, words: str):
    found = errors(changed(MAKERS[maker](), path, value))
    assert words in found[where]
    if path != "network.existing":  # beside which each field of a network of its own is refused
        assert list(found) == [where]


@pytest.mark.parametrize("maker", MAKERS)
def test_the_documents_that_the_cases_start_from_are_valid(maker: str):
    assert errors(MAKERS[maker]()) == {}


def two_pools() -> Document:
    document = MAKERS["aws"]()
    return {**document, "pools": [*document["pools"], *document["pools"]]}


def test_two_pools_of_one_name_are_refused():
    assert "pools[0] is called so too: each pool needs a name of its own" in errors(two_pools())["pools[1].name"]


@pytest.mark.failure("I6")
def test_time_slices_stay_out_of_training():
    assert "break collectives" in errors(changed(MAKERS["aws"](), "pools.0.sharing", {"time_slices": 4}))["pools[0].sharing.time_slices"]


@pytest.mark.failure("I6")
def test_time_slices_may_serve_inference():
    assert errors(MAKERS["aws inference"]()) == {}


@pytest.mark.failure("F7")
def test_a_training_pool_without_its_zone_is_refused():
    assert "pools[0].zone" in errors(changed(MAKERS["aws"](), "pools.0.zone", None))


@pytest.mark.failure("F7")
def test_a_training_pool_in_one_zone_is_fine():
    assert errors(changed(MAKERS["aws"](), "pools.0.zone", "us-east-1b")) == {}


def test_an_inference_pool_may_leave_its_zone_to_the_network():
    document = MAKERS["aws inference"]()
    assert "zone" not in document["pools"][0]
    assert errors(document) == {}


def test_a_webhook_address_is_refused_without_repeating_it():
    text = errors(changed(MAKERS["aws"](), "idle.notify", ["https://hooks.example.com/services/T000/canary"]))["idle.notify[0]"]
    assert "canary" not in text
    assert "(a web address)" in text


def test_alternatives_serve_spot_pools_without_fabric():
    pool = {"name": "g", "machines": ["g5.2xlarge", "g5.4xlarge"], "zone": "us-east-1d", "capacity": {"mode": "spot"}}
    assert errors(changed(MAKERS["aws"](), "pools", [pool])) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"capacity": {"mode": "on_demand"}}, "alternatives serve spot pools only, and this one is on_demand"),
        ({"machines": ["p4d.24xlarge", "p4de.24xlarge"]}, "p4d.24xlarge, p4de.24xlarge would come with a fast fabric"),
        ({"machines": ["g5.2xlarge", "g5.2xlarge"]}, "names a machine twice"),
        ({"machines": ["g5.2xlarge", "g5g.2xlarge"]}, "mixes x86_64 and arm64 machines"),
    ],
)
def test_alternatives_that_cannot_stand_for_each_other_are_refused(change: Document, words: str):
    pool = {"name": "g", "machines": ["g5.2xlarge", "g5.4xlarge"], "zone": "us-east-1d", "capacity": {"mode": "spot"}, **change}
    assert words in errors(changed(MAKERS["aws"](), "pools", [pool]))["pools[0].machines"]


def test_a_tpu_pool_is_not_called_unknown_while_the_catalogue_lists_no_tpu():
    pool = {"name": "tpu", "machine": "ct5lp-hightpu-4t", "zone": "us-central1-a", "topology": "4x4"}
    assert errors(changed(MAKERS["gcp"](), "pools", [pool])) == {}
