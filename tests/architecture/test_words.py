"""What is committed speaks of the project alone: no paths of a machine, no registry hosts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE_PATH = re.compile(r"/(?:work|root|farm|home/(?!kubernetes/)[a-z]+)/|/tmp/[a-z]")
SELF = Path(__file__).name


def committed_text() -> list[tuple[str, str]]:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    found = []
    for name in names:
        path = ROOT / name
        if path.name in (SELF, "uv.lock") or not path.is_file():
            continue
        try:
            found.append((name, path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def test_no_file_names_a_path_of_some_machine() -> None:
    leaks = [
        f"{name}:{i}: {line.strip()[:120]}"
        for name, text in committed_text()
        for i, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert leaks == []


def test_every_folder_that_a_newcomer_opens_has_a_map() -> None:
    assert [folder for folder in ("stacks", "components", "policies", "scripts") if not (ROOT / folder / "README.md").is_file()] == []
