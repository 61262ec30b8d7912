"""One call at the AWS door, and how lists are filtered and paged there."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import jmespath

from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    world: Simulation
    region: str
    given: Mapping[str, Any]

    @property
    def key(self) -> str:
        return f"aws/{self.world.account('aws')}/{self.region}"

    def records(self, kind: str) -> list[Record]:
        return [record for record in self.world.store.of_kind(kind, self.key) if not self.world.faults.hides(record)]

    def get(self, kind: str, id_: object) -> Record | None:
        record = self.world.store.get(kind, self.key, str(id_)) if id_ else None
        return None if record is None or self.world.faults.hides(record) else record


Handler = Callable[[Call], Mapping[str, Any]]


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def page(items: Sequence[tuple[str, T]], token: str | None, size: int | None) -> tuple[list[T], str | None]:
    """The items after `token` (items are (key, value), sorted by key), at most `size`, and the token of the rest.

    Raises Refusal on a token that this door did not give.
    """
    after = _after(token)
    rest = [(key, item) for key, item in sorted(items, key=lambda pair: pair[0]) if after is None or key > after]
    chosen = rest[: size or len(rest)]
    more = len(chosen) < len(rest)
    return [item for _, item in chosen], base64.urlsafe_b64encode(chosen[-1][0].encode()).decode() if more and chosen else None


def _after(token: str | None) -> str | None:
    if not token:
        return None
    try:
        return base64.b64decode(token, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise Refusal(
            "InvalidNextToken", f"the token {token!r} was not given by this API", source="EC2 API reference, pagination"
        ) from error


def refuse_unknown_filters(filters: Iterable[Mapping[str, Any]], known: Mapping[str, str]) -> None:
    """Raises Refusal on a filter that this world does not know: to ignore it would show too much."""
    for given in filters:
        name = str(given.get("Name", ""))
        if name not in known and name != "tag-key" and not name.startswith("tag:"):
            raise Refusal(
                "InvalidParameterValue",
                f"The filter '{name}' is invalid (this world knows {', '.join(known)}, tag:KEY, tag-key)",
                source="EC2 API reference, common errors",
            )


def matches(item: Mapping[str, Any], filters: Sequence[Mapping[str, Any]], known: Mapping[str, str]) -> bool:
    """Whether an API object fits all filters. `known`: filter name to the JMESPath of its values. Raises Refusal on an unknown filter."""
    refuse_unknown_filters(filters, known)
    return all(_fits(item, str(f.get("Name", "")), [str(v) for v in f.get("Values", ())], known) for f in filters)


def _fits(item: Mapping[str, Any], name: str, wanted: Sequence[str], known: Mapping[str, str]) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in item.get("Tags", ())}
    if name.startswith("tag:"):
        have = [tags[name[4:]]] if name[4:] in tags else []
    elif name == "tag-key":
        have = list(tags)
    else:
        found = jmespath.search(known[name], item)
        have = found if isinstance(found, list) else [] if found is None else [found]
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in have]
    return any(fnmatchcase(text, pattern) for text in texts for pattern in wanted)
