"""What the simulated AWS knows about its resource types."""
