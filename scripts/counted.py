"""Numbers of things in sentences."""

from __future__ import annotations


def counted(count: int, one: str, *, many: str = "") -> str:
    """`1 resource`, `2 resources`; `many` where an s does not make it (`1 pod is`, `2 pods are`)."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
