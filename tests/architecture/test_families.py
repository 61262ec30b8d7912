"""Cloud families mirror each other; every component class has a token of its own."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "components"
FAMILIES = [name for name in ("aws", "gcp", "azure") if any((ROOT / name).glob("*.py"))]
CORE = {
    "network.py": "Network",
    "cluster.py": "Cluster",
    "node_pool.py": "NodePool",
    "training.py": "TrainingCluster",
    "inference.py": "InferenceCluster",
}


def classes(path: Path) -> list[ast.ClassDef]:
    return [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]


def is_component(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("ComponentResource") for base in node.bases)


def tokens() -> list[tuple[str, str, str]]:
    """(family, class, token) of every component: the first argument of `super().__init__`."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in filter(is_component, classes(path)):
            calls = [c for c in ast.walk(node) if isinstance(c, ast.Call) and ast.unparse(c.func) == "super().__init__"]
            assert calls, f"{path.name}:{node.name} does not register itself"
            token = calls[0].args[0]
            assert isinstance(token, ast.Constant), f"{path.name}:{node.name}: the token is a literal"
            found.append((path.parent.name, node.name, str(token.value)))
    return found


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("file", "name"), CORE.items())
def test_every_family_has_the_same_files_and_classes(family: str, file: str, name: str) -> None:
    assert name in {node.name for node in classes(ROOT / family / file)}


def test_every_component_has_the_token_of_its_family_and_name() -> None:
    assert [t for family, name, t in tokens() if t != f"gpukit:{family}:{name}"] == []


def test_no_two_components_share_a_token() -> None:
    assert [t for t, n in Counter(t for _, _, t in tokens()).items() if n > 1] == []


def test_every_component_registers_its_outputs_last() -> None:
    late = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in filter(is_component, classes(path)):
            init = next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__")
            if "self.register_outputs" not in ast.unparse(init.body[-1]):
                late.append(f"{path.name}:{node.name}")
    assert late == []
