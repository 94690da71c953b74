# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Paired runs, and the analysis of what one agent adopted from another."""
