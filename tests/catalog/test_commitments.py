import pytest

from components.catalog import UnknownName, commitments


def test_a_commitment_says_what_it_takes_off_and_where_that_was_read() -> None:
    three_years = next(c for c in commitments.commitments("aws") if (c.family, c.term) == ("p5", "3y"))

    assert three_years.discount_percent == pytest.approx(56.8)
    assert three_years.source
    assert three_years.notes


def test_an_unknown_cloud_is_named() -> None:
    with pytest.raises(UnknownName, match="unknown cloud 'gpc'; nearest: gcp"):
        commitments.commitments("gpc")
