"""A problem statement that the host asks the agent's model for."""
