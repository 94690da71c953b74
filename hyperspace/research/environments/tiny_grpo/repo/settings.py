"""The budget, which is the same for every training. Frozen."""

SEED = 7
ROLLOUTS = 3840
UPDATES = 60
