"""Research runs, read from outside: at a glance, idea by idea, and in the form of every run."""
