# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Jobs by content hash, and where they run: slots of this machine, or nodes of a Ray cluster.

It knows what a job needs and what came of it, and nothing of runs, agents or scores.
"""
