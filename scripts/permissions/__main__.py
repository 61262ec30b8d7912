"""`python -m scripts.permissions`: write the policy documents anew from the tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from . import gcp_roles
from .document import document
from .table import Role

ROOT = Path(__file__).parent
DOCUMENTS = ROOT / "aws"


def text(role: Role) -> str:
    """AWS's policy of a role."""
    return _json(document(role))


def documents() -> Iterator[tuple[Path, str]]:
    """Every document, with its text."""
    for role in Role:
        yield DOCUMENTS / f"{role}.json", text(role)
        yield ROOT / "gcp" / f"{role}.json", _json(gcp_roles.document(role))
    for role in gcp_roles.with_budgets():
        yield ROOT / "gcp" / f"{role}-billing.json", _json(gcp_roles.document(role, billing=True))


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def main() -> None:
    for path, content in documents():
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
