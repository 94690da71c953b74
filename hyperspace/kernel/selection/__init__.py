"""Which generation the next one is forked from: the rules, each a pure function, by name."""
