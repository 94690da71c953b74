"""Levels of self-improvement below the arms: a worker alone, and a worker with a reviewer."""
