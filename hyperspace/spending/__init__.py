"""Spending: the ledger of a run, prices, limits, and the meter on every model."""
