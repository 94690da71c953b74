"""The budget, which is the same for every training. Frozen."""

SEED = 7
ROLLOUTS = 2560
UPDATES = 40
