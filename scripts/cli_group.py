"""What every command of `gpukit` has in common: how it ends, and how its work is found."""

from __future__ import annotations

import errno
import importlib
import os
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from scripts.errors import BadInput, Exit, GpukitError, trace, unexpected

WORLD, SANDBOX = "GPUKIT_WORLD", "sandbox"
_DISK = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR})
"""What a place on the disk refuses with, whatever the program does."""

Stack = Annotated[str, typer.Argument(help="Name of the stack: its file is stacks/Pulumi.STACK.yaml.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a `schema` key.")]
Stacks = Annotated[list[str] | None, typer.Argument(metavar="STACK", help="Stack names; default: every stack file in stacks/.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
QuotaSnapshot = Annotated[str | None, typer.Option(metavar="FILE", help="Recorded quotas and usage to judge demand against.")]
Limits = Annotated[str | None, typer.Option(metavar="FILE", help="Ceilings and levels; default: policies/limits.yaml.")]
Prices = Annotated[str | None, typer.Option(metavar="FILE", help="Negotiated rates that replace list prices.")]
InSandbox = Annotated[bool, typer.Option("--sandbox", help="On the simulated clouds (same as GPUKIT_WORLD=sandbox).")]


class Gpukit(TyperGroup):
    """Turns whatever a command raises into one paragraph on standard error and an exit code of the contract (`scripts.errors.Exit`)."""

    def invoke(self, ctx: Any) -> Any:
        try:
            code = super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(Exit.INTERRUPTED) from None
        except GpukitError as error:
            trace(error)
            raise typer.Exit(_told(str(error), error.exit)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise typer.Exit(Exit.FINE) from None  # whoever read our output has seen enough
            if error.errno in _DISK:
                trace(error)
                raise typer.Exit(_told(_unusable(error), Exit.USAGE)) from None
            raise typer.Exit(_told(unexpected(error), Exit.FAILED)) from None
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code"):
                raise  # Typer's own: usage errors print themselves and end with 2
            raise typer.Exit(_told(unexpected(error), Exit.FAILED)) from None
        raise typer.Exit(code if isinstance(code, int) else Exit.FINE)


def _told(paragraph: str, code: Exit) -> Exit:
    with suppress(OSError):  # nobody can be told, and the exit code still says it
        typer.echo(f"gpukit: {paragraph}", err=True)
    return code


def _unusable(error: OSError) -> str:
    if not error.filename:
        return f"The output cannot be written ({error.strerror}): give it a place with room."
    return (
        f"{error.filename} cannot be used ({error.strerror}). gpukit keeps what it knows of its runs in .gpukit/ of the checkout: "
        f"make that place readable and writable for you, with room on its disk, and try again."
    )


def run_part(part: str, command: str, /, **options: Any) -> int:
    """Call `scripts.<part>.commands.<command>`, which is imported now; what it returns is the exit code."""
    code = getattr(importlib.import_module(f"scripts.{part}.commands"), command)(**options)
    return int(code or Exit.FINE)


def enter(*, sandbox: bool) -> None:
    """Make the simulated clouds the world of everything that follows. Raises BadInput where nobody could tell where that would be."""
    if sandbox:
        os.environ[WORLD] = SANDBOX
    if (world := os.environ.get(WORLD)) not in (None, "", SANDBOX):  # a misspelt word would act on the real clouds
        raise BadInput(f"{WORLD} is {world!r}: set it to {SANDBOX} for the simulated clouds, or unset it for the real ones.")
    try:
        Path.cwd()
    except FileNotFoundError:
        raise BadInput("The current directory has been removed: change to one that is there, and try again.") from None


def known_stack(stack: str) -> str:
    """The stack that `stack` means, by its name or its file's path. Raises BadInput with the nearest name when there is none."""
    from scripts.engine.checkout import here

    names = here().stack_names()
    if stack in names:
        return stack
    from scripts.plan.stackfile import name_of

    if (named := name_of(stack, here().root)) in names:
        return named
    near = get_close_matches(stack, names, n=1, cutoff=0.5)
    guess = f" Did you mean {near[0]}?" if near else ""
    raise BadInput(f"There is no stack {stack!r}: stacks/Pulumi.{stack}.yaml is missing.{guess} Stacks: {', '.join(names) or 'none'}.")
