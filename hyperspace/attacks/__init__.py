"""The attack corpus: what hostile code tries, what must come of it, and which defence stops it.

`corpus/` holds the attacks by family, `plays/` the ways to carry one out, `runner.py` runs them.
An attack whose success could do harm is bounded by itself.
"""
