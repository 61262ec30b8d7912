"""Azure Resource Manager as its client libraries call it."""
