from hypothesis import given
from hypothesis import strategies as st

from components.catalog.names import UnknownName, nearest


def test_the_nearest_name_comes_first() -> None:
    assert nearest("p4d.24xlarg", ["p5.48xlarge", "p4de.24xlarge", "p4d.24xlarge"])[0] == "p4d.24xlarge"


def test_letter_case_does_not_keep_names_apart() -> None:
    assert nearest("STANDARD_D4S_V5", ["Standard_D4s_v5"]) == ("Standard_D4s_v5",)


def test_nothing_near_is_nothing() -> None:
    assert nearest("zzz", ["p4d.24xlarge"]) == ()
    assert str(UnknownName("machine", "zzz", ["p4d.24xlarge"])) == "unknown machine 'zzz'"


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=20), max_size=20))
def test_only_known_names_are_offered_and_at_most_three(name: str, known: list[str]) -> None:
    offered = nearest(name, known)

    assert len(offered) <= 3
    assert set(offered) <= set(known)
