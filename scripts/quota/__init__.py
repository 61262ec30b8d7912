"""`gpukit quota`: what stacks draw on quotas, against a snapshot or the account itself, and the increase that is missing."""
