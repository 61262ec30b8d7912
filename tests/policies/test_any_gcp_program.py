"""Whatever a GCP program holds: no crash, no secret in a message, no mandatory rule that passes on an unknown it needed."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from components.resource import Secret
from components.unknown import Unknown
from policies import evaluate
from policies.readers import READERS
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import a3_mega, inference, rdma
from tests.policies.raw import SETTINGS, Raw
from tests.policies.test_any_program import CANARY, paths

PROGRAMS = {"a3_mega": a3_mega(), "rdma": rdma(), "inference": inference()}
NAMES = ("h100", "gke", "system", "gpu-0", "gpu-0-sub", "gpu-0-in", "gpu-0-params", "operator", "critical")
PLACES = [(name, path) for name in NAMES for path in paths(PROGRAMS["a3_mega"].written[name].inputs)]
WORDS = [
    "",
    "SPECIFIC_RESERVATION",
    "COMPACT",
    "2x2",
    "g2-standard-8",
    "n1-standard-8",
    "us-central1",
    "us-central1-a",
    "all",
    "@vpc",
    "@gke",
    "🙂",
]
hostile = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(),
        st.text(max_size=4).filter(lambda text: not text.startswith("@")),
        st.just(Unknown("x")),
        st.just(Secret(CANARY)),
        st.sampled_from(WORDS),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "count", "enabled", "network", "maximum", "name", "values"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def unbroken(program: Raw) -> None:
    findings = evaluate(program.built(), SETTINGS)
    assert not [f for f in findings if "Error)" in f.message]
    assert not [f for f in findings if CANARY in f.message or CANARY in f.path]


@given(place=st.sampled_from(PLACES), value=hostile)
@settings(deadline=None, max_examples=150)
def test_no_value_anywhere_breaks_a_rule_or_shows_a_secret(place: tuple[str, tuple[str | int, ...]], value: Any) -> None:
    name, path = place
    unbroken(PROGRAMS["a3_mega"].set(name, value, *path))


POOL_PROPS = [
    "nodeConfig",
    "autoscaling",
    "networkConfig",
    "placementPolicy",
    "upgradeSettings",
    "queuedProvisioning",
    "nodeLocations",
    "cluster",
]
CLUSTER_PROPS = [
    "nodePools",
    "clusterAutoscaling",
    "maintenancePolicy",
    "enableAutopilot",
    "location",
    "nodeConfig",
    "removeDefaultNodePool",
]
OTHER_PROPS = [
    "versions",
    "scheduling",
    "disks",
    "zone",
    "tpu",
    "specificReservation",
    "spec",
    "metadata",
    "guestAccelerators",
    "updatePolicy",
]


@given(
    type_=st.sampled_from(sorted(token for token in READERS if token in gcp.READ)),
    inputs=st.dictionaries(st.sampled_from([*POOL_PROPS, *CLUSTER_PROPS, *OTHER_PROPS]), hostile, max_size=6),
    program=st.sampled_from(sorted(PROGRAMS)),
)
@settings(deadline=None, max_examples=150)
def test_no_resource_breaks_a_rule(type_: str, inputs: dict[str, Any], program: str) -> None:
    unbroken(PROGRAMS[program].plus(type_, "stranger", **inputs))
