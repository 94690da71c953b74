"""Steering: what the person who began a run asks of it while it goes on, and what agents ask."""
