"""Claims on contested resources: who may act, and what becomes of those who wait."""
