"""Agents: seed code, frozen runtime, models, broker, traces, workspace."""
