"""The budget, which is the same for every training. Frozen."""

SEED = 7
UPDATES = 200
TOKENS = 204_800
