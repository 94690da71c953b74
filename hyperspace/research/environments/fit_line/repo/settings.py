"""What every run of this repository has in common. Frozen: no diff may touch it."""

SEED = 7
UPDATES = 300
BATCH = 16
