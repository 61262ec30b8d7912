"""What `gpukit check --emit` prints."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

from jsonschema import Draft202012Validator

from components.refusals import nearest
from policies.limits import Limits
from scripts.errors import BadInput, Exit
from scripts.plan.terminal import complain

KINDS = {"aws-scp": "aws_scp", "azure-policy": "azure_policy", "gcp-quota-override": "gcp_quotas"}


def emit(kind: str, limits: Limits) -> Exit:
    """The document on standard output, what it cannot hold on standard error. Raises BadInput for an unknown kind or empty limits."""
    if kind not in KINDS:
        near = nearest(kind, tuple(KINDS))
        raise BadInput(f"--emit {kind} is unknown{f', did you mean {near}?' if near else ''}: use one of {', '.join(KINDS)}.")
    form = import_module(f".{KINDS[kind]}", __package__)
    text: str = form.text(limits)
    Draft202012Validator(schema(kind)).validate(json.loads(text))
    sys.stdout.write(f"{text}\n")
    for note in form.NOTES:
        complain(note)
    return Exit.FINE


def schema(kind: str) -> dict[str, object]:
    """The form that the cloud's documentation gives for `kind`, as JSON Schema."""
    return json.loads(Path(__file__).with_name(f"{KINDS[kind]}.schema.json").read_text(encoding="utf-8"))
