"""Readers of pulumi-kubernetes resources."""
