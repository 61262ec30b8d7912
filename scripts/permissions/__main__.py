"""`python -m scripts.permissions`: write the policy documents anew from the tables."""

from __future__ import annotations

import json
from pathlib import Path

from .document import document
from .table import Role

DOCUMENTS = Path(__file__).parent / "aws"


def text(role: Role) -> str:
    return json.dumps(document(role), indent=2) + "\n"


def main() -> None:
    for role in Role:
        (DOCUMENTS / f"{role}.json").write_text(text(role), encoding="utf-8")


if __name__ == "__main__":
    main()
