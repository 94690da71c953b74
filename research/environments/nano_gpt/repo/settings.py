"""The budget, which is the same for every training. Frozen."""

SEED = 7
UPDATES = 600
TOKENS = 614_400
