"""Which clusters nobody uses: signals, a verdict that explains itself, and what follows from it."""
