"""The steps of a teardown, one a file, and their order."""
