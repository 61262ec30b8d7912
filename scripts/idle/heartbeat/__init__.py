"""A private cluster tells of its GPUs from within, by way of its cloud's metrics."""
