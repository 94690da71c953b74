"""One generation of one agent, read once: the steps of its trace, and what they show."""
