# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Agents: seed code, frozen runtime, models, broker, traces, workspace."""
