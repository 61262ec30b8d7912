"""Google Cloud as its client libraries call it."""
