"""Annealing: two candidates, the better one on train is kept."""
