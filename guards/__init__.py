"""Guards: what an agent may do. Edit scope, ingest, gates, sandboxes, audit."""
