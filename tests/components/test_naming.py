from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import naming
from components.inventory import CLOUDS, Cloud
from components.naming import Identity, Misnamed, account_id, identity_tags, problems_of_user_tags

PLAIN = st.text(string.ascii_lowercase + string.digits + "-", min_size=1, max_size=20)


@pytest.mark.parametrize(("cloud", "key"), [("aws", "gpukit/stack"), ("gcp", "gpukit-stack"), ("azure", "gpukit-stack")])
def test_our_keys_are_spelt_by_the_rules_of_each_cloud(cloud: Cloud, key: str) -> None:
    assert naming.tag_key(cloud, "stack") == key


def test_identity_says_stack_cluster_pool_resource_and_manager() -> None:
    assert identity_tags("aws", "s", "c", "c-a100", "a100") == {
        "gpukit/stack": "s",
        "gpukit/cluster": "c",
        "gpukit/pool": "a100",
        "gpukit/resource": "c-a100",
        "gpukit/managed-by": "gpukit",
    }


def test_what_belongs_to_no_pool_says_nothing_of_one() -> None:
    assert "gpukit/pool" not in identity_tags("aws", "s", "c", "r")


@given(st.sampled_from(CLOUDS), PLAIN, PLAIN, PLAIN)
def test_identity_of_plain_names_is_valid_on_every_cloud_and_never_shortened(cloud: Cloud, stack: str, cluster: str, resource: str) -> None:
    tags = identity_tags(cloud, stack, cluster, resource)
    assert list(naming.problems(cloud, tags)) == []
    assert {stack, cluster, resource} <= set(tags.values())


@given(st.text(min_size=64, max_size=80, alphabet=string.ascii_lowercase))
def test_identity_that_does_not_fit_is_refused_rather_than_shortened(stack: str) -> None:
    with pytest.raises(Misnamed, match="at most 63"):
        identity_tags("gcp", stack, "c", "r")


def test_identity_wins_over_the_users_tags() -> None:
    tags = Identity(cloud="aws", stack="s", cluster="c", user_tags={"gpukit/stack": "other", "team": "a"}).tags("r")
    assert tags["gpukit/stack"] == "s"
    assert tags["team"] == "a"


def test_fixed_tags_leave_the_users_tags_out() -> None:
    assert "team" not in Identity(cloud="aws", stack="s", cluster="c", user_tags={"team": "a"}).fixed("r")


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({"aws:name": "x"}, "keeps the prefix aws:"),
        ({"gpukit/pool": "x"}, "gpukit's own"),
        ({"GPUKIT/pool": "x"}, "gpukit's own"),
        ({"k" * 129: "x"}, "at most 128"),
        ({"k": "v" * 257}, "at most 256"),
        ({"k": "a;b"}, "letters, digits, spaces"),
        ({"": "x"}, "at most 128"),
        ({f"k{i}": "v" for i in range(41)}, "give at most 40"),
    ],
)
def test_a_tag_that_aws_would_refuse_is_named(tags: dict[str, str], said: str) -> None:
    assert any(said in problem for problem in problems_of_user_tags("aws", tags))


@pytest.mark.parametrize("tags", [{}, {"cost-center": "4711"}, {"Team": "a b"}, {"a/b:c": ""}, {f"k{i}": "v" for i in range(40)}])
def test_an_ordinary_tag_is_fine_on_aws(tags: dict[str, str]) -> None:
    assert list(problems_of_user_tags("aws", tags)) == []


@pytest.mark.parametrize("name", ["a", "Lab", "lab-", "1lab", "lab_1", "", "l" * 41])
def test_a_cluster_name_that_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(Misnamed, match="cluster name"):
        naming.cluster_name("aws", name)


@given(st.from_regex(r"[a-z][a-z0-9-]{0,38}[a-z0-9]", fullmatch=True))
def test_a_cluster_name_that_fits_is_taken_as_it_is(name: str) -> None:
    assert naming.cluster_name("aws", name) == name


@given(st.integers(1, 40), st.integers(1, 40))
def test_a_pool_name_fits_a_node_group_together_with_pulumis_suffix_or_is_refused(pool: int, cluster: int) -> None:
    try:
        name = naming.pool_name("aws", "c" * cluster, "p" * pool)
    except Misnamed:
        assert cluster + 1 + pool + naming.RANDOM_SUFFIX > 63
    else:
        assert len(name) + naming.RANDOM_SUFFIX <= 63


@given(st.from_regex(r"[a-z]([a-z0-9-]{0,38}[a-z0-9])?", fullmatch=True), PLAIN, st.sampled_from(["nodes", "data"]))
def test_an_account_id_has_the_form_that_google_takes(cluster: str, stack: str, word: str) -> None:
    made = account_id(Identity(cloud="gcp", stack=stack, cluster=cluster), word)
    assert re.fullmatch(r"[a-z][a-z0-9-]{4,28}[a-z0-9]", made)


def test_two_clusters_of_one_name_have_accounts_of_their_own() -> None:
    one, other = (account_id(Identity(cloud="gcp", stack=stack, cluster="lab"), "nodes") for stack in ("east", "west"))
    assert one != other
    assert one.startswith("lab-nodes-")


@given(PLAIN, PLAIN)
def test_tight_names_are_letters_and_digits_with_room_for_pulumis_own(word: str, cluster: str) -> None:
    name = naming.tight_name(word, cluster)
    assert name.isalnum()
    assert len(name) + naming.RANDOM_SUFFIX <= naming.TIGHT_NAME


def test_two_long_words_that_begin_alike_get_tight_names_of_their_own() -> None:
    assert naming.tight_name("checkpoints-of-a", "lab") != naming.tight_name("checkpoints-of-b", "lab")
    assert naming.tight_name("sets", "lab") != naming.tight_name("sets", "hall")


@pytest.mark.failure("H2")
def test_an_agent_pool_is_called_after_what_cannot_change_in_it() -> None:
    name = naming.agent_pool_name("a-long-name-of-a-pool", "Standard_ND96isr_H100_v5", "None")
    assert name.startswith("alongnam")
    assert name == naming.agent_pool_name("a-long-name-of-a-pool", "Standard_ND96isr_H100_v5", "None")
    assert name != naming.agent_pool_name("a-long-name-of-a-pool", "Standard_ND96isr_H100_v5", "Install")
    assert name != naming.agent_pool_name("a-long-name-of-another", "Standard_ND96isr_H100_v5", "None")
