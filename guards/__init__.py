"""Guards: what an agent may do. Edit scope, ingest, content policies, gates, sandboxes."""
