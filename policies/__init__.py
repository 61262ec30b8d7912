"""Guardrails for any Pulumi program: readers, pure rules and the policy pack."""
