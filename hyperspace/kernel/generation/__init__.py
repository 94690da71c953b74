"""One generation: look, materialize, modify, ingest, gate, evaluate, publish, report."""
