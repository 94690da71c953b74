"""Offline models: small policies that answer like language models, with no key and no network.

`registry.get` finds a policy by name. A policy that works on code is a *plan* (plan.py): a program
over tool calls that is played anew for each request. docs/reference/offline-models.md says what
each policy is and what it reaches.
"""
