"""YAML of a program: read once, and never without end."""

from __future__ import annotations

import pytest

from policies.readers.yaml_text import DEEPEST, document_of, documents_of
from tests.policies.hostile import BOMB


def test_every_document_is_read() -> None:
    assert documents_of("a: 1\n---\n- 2\n") == ({"a": 1}, [2])


def test_an_empty_text_is_no_document() -> None:
    assert document_of("") is None


@pytest.mark.parametrize(
    "said", ["{", BOMB, "&a [*a]", "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "!!python/object:os.system x", "2026-13-45", "{" * 5000]
)
def test_what_is_no_yaml_too_deep_or_without_end_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"no YAML|values|month"):
        documents_of(said)


def test_several_documents_are_not_one() -> None:
    with pytest.raises(ValueError, match="several"):
        document_of("a: 1\n---\nb: 2\n")
