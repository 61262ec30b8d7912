"""Runs one Pulumi program against a recording monitor and keeps what it registers: no engine, no accounts, no network.

The package imports nothing but pulumi and the standard library, because `gpukit check --program` loads these very files into the
program's own interpreter, which need not know gpukit (see `child.py`). It speaks plain JSON; `scripts.plan.values` turns that into facts.
"""
