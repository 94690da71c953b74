"""Clock and mark ids, derived so that a resumed run writes the same.

docs/reference/determinism.md, Clock and ids.
"""

from collections import Counter
from uuid import UUID, uuid5

from markspace import AnyMark

_NAMESPACE = UUID("6f1c8a52-0f0b-5d3e-9a55-3d0e6b1f7c11")


def logical_time(generation: int, turn: int, agents: int) -> float:
    """Time of an agent's turn, in rounds: 3.5 is the second of two agents in round 3."""
    return generation + turn / agents


class RunIds:
    """An `id_factory`: ids from (run seed, agent, generation, kind, ordinal)."""

    def __init__(self, seed: int) -> None:
        self._namespace = uuid5(_NAMESPACE, str(seed))
        self._turn = ("", "")
        self._ordinals: Counter[str] = Counter()

    def author(self, name: str) -> UUID:
        """Id of one who writes marks, the same after a restart."""
        return uuid5(self._namespace, f"author\x1f{name}")

    def begin(self, agent: str, generation: int | str) -> None:
        """Start the turn that the next marks belong to; ordinals count from zero again."""
        self._turn = (agent, str(generation))
        self._ordinals.clear()

    def __call__(self, mark: AnyMark) -> UUID:
        """Name the next mark of this turn."""
        kind = f"{mark.scope}:{mark.mark_type.value}"
        ordinal = self._ordinals[kind]
        self._ordinals[kind] += 1
        return uuid5(self._namespace, "\x1f".join([*self._turn, kind, str(ordinal)]))
