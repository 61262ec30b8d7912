"""`python -m scripts.engine.host [flags] ENGINE`: print the port on the first line, then serve until the engine is gone."""

from __future__ import annotations

import sys

from scripts.engine.host.bare_sdk import hide_the_sdk


def engine_address(arguments: list[str]) -> str:
    """The engine's address is the last argument that is no flag; "" where the engine attaches to a running host."""
    positional = [argument for argument in arguments if not argument.startswith("-")]
    return positional[-1] if positional else ""


if __name__ == "__main__":
    hide_the_sdk()
    from scripts.engine.host.server import serve

    serve(engine_address(sys.argv[1:]))
