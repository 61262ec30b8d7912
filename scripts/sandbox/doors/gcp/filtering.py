"""List filters as Compute Engine takes them: comparisons of a field or a label, all of which must hold.

Source: Compute Engine API reference, `filter` of list methods (AIP-160). Supported: =, :, !=, AND, parentheses, quotes; others are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scripts.sandbox.refusal import Refusal

_TERM = re.compile(r"\(?\s*(?P<field>[\w.\-]+)\s*(?P<op>!=|=|:|\seq\s|\sne\s)\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s()]+)\s*\)?")


def matches(item: Mapping[str, Any], text: str) -> bool:
    """Whether an item of an answer passes a filter. Raises Refusal when the filter is not understood."""
    rest = text.strip()
    while rest:
        found = _TERM.match(rest)
        if found is None:
            raise Refusal(
                "invalid",
                f"Invalid value for field 'filter': '{text}'. Invalid list filter expression.",
                source="Compute Engine API reference, filter",
            )
        if not _holds(item, found["field"], found["op"].strip(), found["value"].strip("\"'")):
            return False
        rest = re.sub(r"^\s*AND\s+", "", rest[found.end() :].strip() + " ").strip()
    return True


def _holds(item: Mapping[str, Any], field: str, op: str, value: str) -> bool:
    held = _at(item, field)
    if value == "*":
        return (held is not None) is (op in (":", "="))
    same = str(held).lower() == value.lower() if isinstance(held, bool) else str(held if held is not None else "") == value
    return not same if op in ("!=", "ne") else same


def _at(item: Mapping[str, Any], field: str) -> Any:
    """`labels.KEY` and nested fields; a link is compared as a whole."""
    node: Any = item
    parts = field.split(".", 1) if field.startswith("labels.") else field.split(".")
    for part in parts:
        node = node.get(part) if isinstance(node, Mapping) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # JSON
    return node  # pyright: ignore[reportUnknownVariableType]  # JSON
