"""The live suite: which standing cases solvers are judged on, so that it stays hard and varied."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from hyperspace.tasks.shapes.cases import TaskCase


def retained(
    cases: Sequence[TaskCase], fails: Mapping[str, int], room: int
) -> tuple[TaskCase, ...]:
    """Choose which cases stay: those that most live solvers fail, spread over their classes.

    The classes take turns, the one with the hardest case first; within a class the hardest goes
    first, the newest of equals.

    Args:
        cases: The live ones, the oldest first.
        fails: How many live solvers fail each, by id; 0 where none is named.
        room: How many may stay.

    Returns:
        Those that stay, in the order in which they came.
    """
    places = {case.id: at for at, case in enumerate(cases)}
    classes = defaultdict[str, list[TaskCase]](list)
    for case in sorted(cases, key=lambda case: (-fails.get(case.id, 0), -places[case.id])):
        classes[case.kind].append(case)
    queues = [*classes.values()]  # by their hardest case: a class comes up with that
    chosen: list[TaskCase] = []
    for turn in range(max(map(len, queues), default=0)):
        chosen += [queue[turn] for queue in queues if turn < len(queue)]
    return tuple(sorted(chosen[: max(room, 0)], key=lambda case: places[case.id]))
