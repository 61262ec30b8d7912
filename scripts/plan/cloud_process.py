"""The process that plans the stacks of one cloud: `python -m scripts.plan.cloud_process REQUEST ANSWER`, both packed by `parallel`."""

from __future__ import annotations

import sys
from pathlib import Path

from .packing import packed, unpacked
from .recorder import tune_collector


def main(request: Path, answer: Path) -> int:
    """Writes the answer whole or not at all."""
    tune_collector()
    from .build import plan_stack

    root, names, by = unpacked(request.read_bytes())
    found = packed(tuple(plan_stack(root, name, by) for name in names))
    part = answer.with_suffix(".part")
    part.write_bytes(found)
    part.replace(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
