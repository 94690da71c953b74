"""Offline models: small search policies that answer like language models; no key, no network."""
