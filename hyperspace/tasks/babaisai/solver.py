"""Finds a shortest way to win a level, so that no level is asked that has none."""

from typing import Any

from hyperspace.tasks.babaisai.score import ACTIONS, BabaBoard, BabaGame, BabaSituation

MOST_STATES = 300_000
_MOVES = ACTIONS[1:]  # standing idle leads nowhere new


def shortest_plan(level: dict[str, Any], most_states: int = MOST_STATES) -> list[str] | None:
    """Return the actions that win a level soonest.

    A situation in which nothing is you is not gone on from: the level would be set back.

    Args:
        level: Inputs of an item; `cap` bounds the plan.
        most_states: Situations to look at.

    Returns:
        The plan; None if there is none within these bounds.
    """
    game = BabaGame(level)
    board, start = game.board, game.situation
    before: dict[BabaSituation, tuple[BabaSituation, str] | None] = {start: None}
    edge = [start]
    for _ in range(game.cap):
        reached: list[BabaSituation] = []
        for old in edge:
            for action in _MOVES:
                new, has_won = board.step(old, action)
                if has_won:
                    return [*_way(before, old), action]
                if new not in before:
                    before[new] = (old, action)
                    if len(before) > most_states:
                        return None
                    if _has_you(board, new):
                        reached.append(new)
        edge = reached
    return None


def _has_you(board: BabaBoard, situation: BabaSituation) -> bool:
    return not board.rules(situation.blocks).you.isdisjoint(situation.kinds)


def _way(
    before: dict[BabaSituation, tuple[BabaSituation, str] | None], end: BabaSituation
) -> list[str]:
    way: list[str] = []
    while (last := before[end]) is not None:
        end, action = last
        way.append(action)
    return way[::-1]
