"""Nodes of a Ray cluster: each job is a task of it."""
