"""Jobs by content hash, and where they run: slots of this machine, or nodes of a Ray cluster.

It knows what a job needs and what came of it, and nothing of runs, agents or scores.
"""
