"""Python language host for Pulumi's engine: runs programs, policy packs and component plugins.

It serves only where the official `pulumi-language-python` is absent, and only in the sandbox: `python -m scripts.engine.host ENGINE`.
Its directory is never put on PATH, so that it cannot shadow the official host.
"""
