"""The recording of a Pulumi program as facts: run it in this process, or take the tape that a child process left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from components.resource import Options, Resource, ResourceSet, Value
from components.unknown import MASKED_SECRET, Unknown

from .named_files import named_files
from .recording.collector import tune_collector
from .values import UNKNOWN, Unread, properties

if TYPE_CHECKING:
    from .recording.tape import Entry, Tape

__all__ = ["Recording", "record", "recording", "tune_collector", "undisclosed"]
STACK_TYPE = "pulumi:pulumi:Stack"


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What one stack registers. With an `error`, `resources` are those that came before it and judge nothing."""

    resources: ResourceSet
    outputs: Mapping[str, Value] = field(default_factory=dict[str, Value])
    logs: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Former names by URN, for the resources that have any."""


def record(  # noqa: PLR0913 # the names of a stack and its program, all by keyword
    program: Callable[[], Any] | Path,
    *,
    project: str,
    stack: str,
    config: Mapping[str, str],
    directory: Path,
    secret_keys: Sequence[str] = (),
    root: Path | None = None,
    output: TextIO | None = None,
) -> Recording:
    """Run `program` (its file, or a function) in this process as a preview of a new stack; see `recording.run.Job` for the rest.

    The values of `secret_keys` are not handed to the program: offline nobody holds the passphrase, so it sees an unknown secret.
    """
    # The SDK's protocol modules take a tenth of a second: only a recording needs them.
    from .recording.run import Job, run

    given = undisclosed(config, secret_keys)
    tape = run(Job(program, project, stack, given, secret_keys, directory, root or directory, output))
    return recording(tape, {k: v for k, v in config.items() if k not in secret_keys}, directory)


def undisclosed(config: Mapping[str, str], secret_keys: Sequence[str]) -> dict[str, str]:
    """`config` with every secret value replaced by the engine's unknown; a structured one keeps its shape, with its secret parts masked."""
    return {key: _hidden(value) if key in secret_keys else value for key, value in config.items()}


def _hidden(value: str) -> str:
    return value if MASKED_SECRET in value and value != MASKED_SECRET else UNKNOWN


def recording(tape: Tape, config: Mapping[str, str], directory: Path) -> Recording:
    """The facts on `tape`. `config` is what rules may ask of the stack's settings: no secrets. `directory`: where the program runs."""
    resources = ResourceSet(project=tape.project, stack=tape.stack, resources=tuple(_resources(tape)), config=config)
    return Recording(
        resources=replace(resources, files=named_files(resources, directory)),
        outputs=properties(tape.outputs),
        logs=tuple(tape.logs),
        notes=tuple(tape.notes),
        error=tape.error or _logged_error(tape),
        aliases={e.urn: tuple(e.aliases) for e in tape.entries if e.aliases},
    )


def _logged_error(tape: Tape) -> str | None:
    """`pulumi.log.error` makes the engine's run fail too, though the program goes on."""
    said = [text for severity, text in tape.logs if severity == "error"]
    return f"the program logged an error: {' '.join(said[0].split())}" if said else None


def _resources(tape: Tape) -> Iterator[Resource]:
    """The stack's own resource carries the stack's outputs, as the engine has it."""
    for entry in tape.entries:
        found = _resource(entry)
        yield replace(found, outputs=properties(tape.outputs)) if found.type == STACK_TYPE else found


def _resource(entry: Entry) -> Resource:
    given = properties(entry.inputs)
    inputs: Mapping[str, Value] = Unread(given) if entry.external else given
    return Resource(
        urn=entry.urn,
        type=entry.type,
        name=entry.name,
        custom=entry.custom,
        parent=entry.parent or None,
        inputs=inputs,
        outputs=inputs,
        id=entry.id or Unknown("id"),
        dependencies=tuple(sorted(entry.dependencies)),
        property_dependencies={k: tuple(sorted(v)) for k, v in sorted(entry.property_dependencies.items())},
        provider=entry.provider or None,
        options=Options(
            protect=entry.protect,
            retain_on_delete=entry.retain_on_delete,
            ignore_changes=tuple(entry.ignore_changes),
            delete_before_replace=entry.delete_before_replace,
            deleted_with=entry.deleted_with or None,
        ),
        remote=entry.remote,
        external=entry.external,
    )
