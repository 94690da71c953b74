"""Execution-grounded research: ideas become diffs of a training repository, and diffs become jobs.

`environments` says what a repository is trained and judged with; `jobs` takes one diff to its
score; `loop` asks models for ideas, epoch after epoch. docs/domains/research.md.
"""
