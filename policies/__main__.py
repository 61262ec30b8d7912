"""The pack's entry point: serves the policies until the engine ends the process."""

from policies.pack import serve

serve()
