# hyperspace: this line tells that the package is ours (hyperspace/start.py)
"""Pages, figures, tables of text and curves of scores, for every command that reports on runs."""
