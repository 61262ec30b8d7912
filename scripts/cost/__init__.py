"""`gpukit cost`: what stacks cost, for whom, until when, and what that rests on."""
