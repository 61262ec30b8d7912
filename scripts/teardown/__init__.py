"""Ordered, verified teardown of a cluster: plan, act, verify (`gpukit teardown`)."""
