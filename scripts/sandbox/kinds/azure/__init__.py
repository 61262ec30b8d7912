"""What the simulated Azure knows about its resource types."""
