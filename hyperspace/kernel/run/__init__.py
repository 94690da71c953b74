"""A run from start to end: schedule, limits, recovery, replay."""
