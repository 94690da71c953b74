"""Logical time: the clock of a run's mark space (docs/reference/determinism.md)."""


def logical_time(generation: int, turn: int, agents: int) -> float:
    """Time of an agent's turn, in rounds: 3.5 is the second of two agents in round 3."""
    return generation + turn / agents
