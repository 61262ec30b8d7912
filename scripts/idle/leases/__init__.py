"""How long each stack's cluster is wanted."""
