"""A four-legged robot is trained by a reward that the agent writes as an arithmetic expression."""
