"""A puzzle whose rules are blocks on the board: an agent is asked for one step at a time."""
