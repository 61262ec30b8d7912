"""Readers of pulumi-aws resources."""
