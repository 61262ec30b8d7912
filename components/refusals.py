"""Errors of the stack file in plain words, all of them at once: path, value, what is allowed, nearest valid name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

MAX_SHOWN = 60
"""Characters of a value that a message repeats."""


@dataclass(frozen=True, kw_only=True)
class SpecError:
    """One thing to change in the stack file. `value` is shortened and never a secret; `allowed` lists the valid words where they are few."""

    path: str
    message: str
    value: str = ""
    allowed: tuple[str, ...] = ()
    nearest: str | None = None

    def __str__(self) -> str:
        where = f"{self.path} = {self.value}" if self.value not in _NOT_SHOWN else self.path
        allowed = f"; allowed: {', '.join(self.allowed)}" if self.allowed else ""
        hint = f"; did you mean {self.nearest}?" if self.nearest else ""
        return f"{where}: {self.message}{allowed}{hint}"


class SpecErrors(ValueError):
    """Every error of one stack file. `str()` is the text that is shown: the file and one line for each error."""

    def __init__(self, file: str, errors: Iterable[SpecError]) -> None:
        self.file = file
        self.errors = tuple(errors)
        super().__init__(file, self.errors)

    def __str__(self) -> str:
        count = "1 error" if len(self.errors) == 1 else f"{len(self.errors)} errors"
        return "\n".join([f"{self.file}: {count} to correct.", *(f"  - {error}" for error in self.errors)])


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A refusal by a check over several fields, with the other paths that it rests on: void where one of them is in error itself."""

    error: SpecError
    reads: tuple[str, ...] = ()


_NOT_SHOWN = ("", "{…}", "[…]")
"""Values that tell no reader anything."""


def shown(value: object) -> str:
    """`value` as the file has it, on one line and short. Mappings and lists are named only."""
    if value is None:
        return "(empty)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = _text(value)
    elif isinstance(value, Mapping) or hasattr(value, "model_dump"):  # a model is a mapping in the file
        return "{…}"
    elif isinstance(value, Sequence):
        return "[…]"
    else:
        text = _digits(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def _text(value: str) -> str:
    """Quotes where the file has or needs them: around numbers and true/false, and around what cannot be printed."""
    if not value or not value.isprintable():
        return ascii(value)
    return f'"{value}"' if value in ("true", "false") or value.replace(".", "", 1).isdigit() else value


def _digits(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python prints
        return "(a very large number)"


def json_kind(value: object) -> str:
    """What a file holds where a JSON object belongs, for messages."""
    if value is None:
        return "empty"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, Sequence) else "a mapping" if isinstance(value, Mapping) else "a single value"


def written(document: Mapping[str, object], key: str) -> str:
    """The value of `key` as messages repeat it; `missing` where there is none."""
    return ascii(document[key])[:MAX_SHOWN] if key in document else "missing"


def nearest(word: str, words: Iterable[str]) -> str | None:
    """The one of `words` that `word` may have meant, letter case and `-` against `_` aside."""
    from difflib import get_close_matches  # only needed for errors, costs milliseconds to import

    folded = {w.casefold().replace("-", "_"): w for w in words}
    found = get_close_matches(word[:100].casefold().replace("-", "_"), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def verdict(path: str, value: object, message: str, *reads: str, allowed: Iterable[str] = (), near: str | None = None) -> Verdict:
    """A refusal of `value` at `path`; `value` is None where it is missing; `reads` as in Verdict."""
    written = "" if value is None else shown(value)
    return Verdict(error=SpecError(path=path, value=written, message=message, allowed=tuple(allowed), nearest=near), reads=reads)


def tried(path: str, value: object, attempt: Callable[[], object]) -> Iterator[SpecError]:
    """The refusal that `attempt` raises, if it does."""
    try:
        attempt()
    except ValueError as error:
        yield SpecError(path=path, value=shown(value) if value != "" else "", message=str(error))
