"""Real servers that some long tests run against: how they are built, found, started and stopped."""
