"""The table of config keys in stacks/README.md: path, type, default, meaning, from the JSON Schema of the cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Row:
    path: str
    type: str
    default: str
    """Empty where the key is required."""
    meaning: str


def markdown(cluster: Schema) -> str:
    lines = ["| key | type | default | meaning |", "|---|---|---|---|"]
    lines += [f"| `{r.path}` | {_cell(r.type)} | {_cell(r.default)} | {_cell(r.meaning)} |" for r in rows(cluster)]
    return "\n".join(lines) + "\n"


def rows(cluster: Schema) -> list[Row]:
    """A row for each key. Keys of one workload or one capacity mode carry it in brackets."""
    definitions: dict[str, Schema] = cluster["$defs"]
    return list(dict.fromkeys(_of_union([_resolved(m, definitions) for m in cluster["oneOf"]], "", definitions)))


def _of_union(members: list[Schema], prefix: str, definitions: dict[str, Schema]) -> Iterator[Row]:
    """Keys that all members share come first, under the bare path; the others name their member."""
    shared = [key for key in members[0]["properties"] if all(key in member["properties"] for member in members)]
    kinds = [key for key in shared if "const" in members[0]["properties"][key]]
    for key in shared:
        if key in kinds:
            words = " \\| ".join(f"`{member['properties'][key]['const']}`" for member in members)
            default = "required" if all(key in member.get("required", ()) for member in members) else ""
            yield Row(path=prefix + key, type=words, default=default, meaning=_KINDS[key])
        else:
            yield from _of_field(members[0], key, prefix, definitions)
    for member in members:
        name = member["properties"][kinds[0]]["const"] if kinds else None
        for key in member["properties"]:
            if key not in shared:
                yield from _of_field(member, key, prefix, definitions, only=name)


_KINDS = {"workload": "What the cluster is for.", "mode": "How the capacity is bought; not every cloud has every mode."}


def _of_field(owner: Schema, key: str, prefix: str, definitions: dict[str, Schema], only: str | None = None) -> Iterator[Row]:
    schema: Schema = owner["properties"][key]
    path = f"{prefix}{key}"
    shown = f"{path} ({only})" if only else path
    default = "required" if key in owner.get("required", ()) else _default(schema, definitions)
    meaning = schema.get("description") or _resolved(schema, definitions).get("description", "")
    yield Row(path=shown, type=_type(schema, definitions), default=default, meaning=meaning)
    yield from _inside(schema, path, definitions)


def _inside(schema: Schema, path: str, definitions: dict[str, Schema]) -> Iterator[Row]:
    if schema.get("type") == "array":
        yield from _inside(schema["items"], f"{path}[]", definitions)
        return
    members = [_resolved(m, definitions) for m in _members(schema)]
    models = [m for m in members if m.get("type") == "object" and "properties" in m]
    if models:
        yield from _of_union(models, f"{path}.", definitions)


def _members(schema: Schema) -> list[Schema]:
    return schema.get("oneOf") or schema.get("anyOf") or [schema]


def _resolved(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    return definitions[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _type(schema: Schema, definitions: dict[str, Schema]) -> str:
    words = [_word(_resolved(m, definitions), definitions) for m in _members(schema) if m.get("type") != "null"]
    return " \\| ".join(dict.fromkeys(words))


def _word(schema: Schema, definitions: dict[str, Schema]) -> str:
    if "enum" in schema:
        return " \\| ".join(f"`{word}`" for word in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema['items'], definitions)}"
    if kind == "object":
        return "mapping" if "properties" in schema else "mapping of text"
    names = {
        "string": _text_word(schema),
        "integer": f"integer{_range(schema)}",
        "number": f"number{_range(schema)}",
        "boolean": "`true` \\| `false`",
    }
    return names.get(str(kind), str(kind))


_FORMATS = {"date": "day, in quotes", "date-time": "time with zone, in quotes"}


def _text_word(schema: Schema) -> str:
    if schema.get("format", "") in _FORMATS:
        return _FORMATS[schema["format"]]
    return "IPv4 range" if "{1,2}$" in schema.get("pattern", "") else "name" if "pattern" in schema else "text"


def _range(schema: Schema) -> str:
    low, above, high, below = (schema.get(k) for k in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"))
    parts = [f"≥ {low}" if low is not None else "", f"> {above:g}" if above is not None else ""]
    parts += [f"≤ {high}" if high is not None else "", f"< {below:g}" if below is not None else ""]
    text = ", ".join(part for part in parts if part)
    return f" {text}" if text else ""


def _default(schema: Schema, definitions: dict[str, Schema]) -> str:
    value = schema.get("default")
    models = any("properties" in _resolved(m, definitions) for m in _members(schema))
    if value is None or value in ("", [], {}) or (models and isinstance(value, dict) and "min" not in value and "mode" not in value):
        return ""
    return f"`{value if isinstance(value, str) else _flow(value)}`"


def _flow(value: Any) -> str:
    """A value as YAML writes it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_flow(v)}" for k, v in value.items() if v is not None) + "}"
    return value if isinstance(value, str) else json.dumps(value)


def _cell(text: str) -> str:
    return " ".join(text.split())
