"""One generation, from materialize to publish; evaluation; archive; run folder; resume.

The main loop is `run.play`; one generation is `generation.run_generation`, which reads like the
eight steps of docs/architecture.md.
"""
