"""Personas: policies with a known behaviour, so that detectors can be held against the truth.

Each says what it does in its class, and its plan owns up to it call by call.
They work on any task.
docs/reference/offline-models.md has the table of them.
"""
