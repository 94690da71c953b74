"""Following a run from another process: a follower tells events, a board adds up its state."""
