"""Scenarios that are made by program: ways of reading and taking, crossed with cases.

What a turn took is known because the same function wrote the calls and the text that they lead
to; `design.scenarios` says what is crossed with what.
"""
