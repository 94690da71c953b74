# hyperspace: the package dashboard
"""A local web page over everything below a results folder: `hyperspace dashboard`.

It reads what `watch`, `analyze`, `report` and `audit` read and computes nothing of its own.
"""
