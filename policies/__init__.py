"""Guardrails: raw resources of any Pulumi program -> inventory -> findings. As a CrossGuard pack, in `plan` and in `check`."""

from .finding import Finding, Level, Status
from .judge import evaluate, judge
from .limits import Limits
from .settings import Settings

__all__ = ["Finding", "Level", "Limits", "Settings", "Status", "evaluate", "judge"]
