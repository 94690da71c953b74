"""Stores of marks: one contract, three stores. Import each from its own module."""
