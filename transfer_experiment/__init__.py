"""Paired runs, and the analysis of what one agent adopted from another."""
