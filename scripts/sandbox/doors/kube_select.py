"""Label and field selectors of the Kubernetes API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scripts.sandbox.objects import KUBERNETES
from scripts.sandbox.refusal import Refusal

_SET = re.compile(r"^\s*(?P<key>[^\s!=]+)\s+(?P<op>in|notin)\s*\((?P<values>[^)]*)\)\s*$")
_FIELDS = {"metadata.name", "metadata.namespace", "spec.nodeName", "status.phase", "spec.unschedulable", "involvedObject.name", "type"}


def labelled(labels: Mapping[str, Any], selector: str) -> bool:
    """Whether labels fit a selector: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas."""
    return all(_requirement(labels, part.strip()) for part in re.split(r",(?![^(]*\))", selector) if part.strip())


def _requirement(labels: Mapping[str, Any], text: str) -> bool:
    found = _SET.match(text)
    if found:
        values = {v.strip() for v in found["values"].split(",")}
        return (labels.get(found["key"]) in values) is (found["op"] == "in") if found["key"] in labels else found["op"] == "notin"
    if "!=" in text:
        key, value = text.split("!=", 1)
        return labels.get(key.strip()) != value.strip()
    if "=" in text:
        key, _, value = text.replace("==", "=").partition("=")
        return labels.get(key.strip()) == value.strip()
    return text[1:].strip() not in labels if text.startswith("!") else text in labels


def fielded(body: Mapping[str, Any], selector: str) -> bool:
    """Whether an object fits a field selector. Raises Refusal on a field that cannot be selected."""
    for part in filter(None, selector.split(",")):
        negated = "!=" in part
        key, value = (p.strip() for p in part.replace("!=", "=").replace("==", "=").split("=", 1))
        if key not in _FIELDS:
            raise Refusal("BadRequest", f'field label not supported: "{key}"', source=KUBERNETES, status=400)
        have: Any = body
        for name in key.split("."):
            have = have.get(name) if isinstance(have, Mapping) else None
        text = str(have).lower() if isinstance(have, bool) else str(have or "")
        if (text == value) is negated:
            return False
    return True


def selected(labels: Mapping[str, Any], selector: Mapping[str, Any] | None) -> bool:
    """Whether labels fit a selector object (`matchLabels`, `matchExpressions`); none selects nothing, an empty one everything."""
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    return all(_expression(labels, e) for e in selector.get("matchExpressions") or ())


def _expression(labels: Mapping[str, Any], expression: Mapping[str, Any]) -> bool:
    key, values = str(expression.get("key")), expression.get("values") or ()
    return {
        "In": labels.get(key) in values,
        "NotIn": labels.get(key) not in values,
        "Exists": key in labels,
        "DoesNotExist": key not in labels,
    }.get(str(expression.get("operator")), False)
