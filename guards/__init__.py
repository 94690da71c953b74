# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Guards: what an agent may do. Edit scope, ingest, content policies, gates, sandboxes."""
