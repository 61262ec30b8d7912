"""The command line `gpukit` and its parts."""
