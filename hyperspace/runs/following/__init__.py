"""Following a run from another process: a follower tells events, a board adds up its state.

Files that grow are read on from where they were left: scores, money, refusals.
"""
