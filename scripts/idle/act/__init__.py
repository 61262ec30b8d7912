"""What follows from a verdict: telling, holding queues, scaling pools to zero and back, within what the state file remembers."""
