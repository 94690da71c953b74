# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Domains: tasks with sealed labels. `base.Domain` is the seam, `registry.load` finds one."""
