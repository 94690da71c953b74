"""Who has which idea: how many build upon the best, and what each is shown.

The shares are those of shared design "Research environments", The loop, 1: from the second epoch on
`min(.5 + .1 * floor(epoch / 2), .8)` of the ideas exploit.
"""

from collections.abc import Mapping
from functools import cmp_to_key
from math import floor
from typing import Final

import msgspec

from hyperspace.kernel.state.rng import stream
from hyperspace.research.environments.description import Description, Goal, is_better
from hyperspace.research.loop.records import BASELINE, ClosedIdea, IdeaKind, ResearchConfig
from hyperspace.research.loop.sharing import IdeasShown

BEST: Final = 3  # ideas that are built upon
SAMPLED: Final = 8  # past ideas that one which is to be new is shown


class Assignment(msgspec.Struct, frozen=True):
    """An idea that is to be had.

    Attributes:
        number: Its number.
        epoch: Its epoch.
        kind: Whether it builds upon the best, or is to be new.
        parent: The idea whose repository it changes; 0 for the repository as it is.
        shown: Ideas whose results are shown.
    """

    number: int
    epoch: int
    kind: IdeaKind
    parent: int = BASELINE
    shown: tuple[int, ...] = ()


def exploit_share(config: ResearchConfig, epoch: int) -> float:
    """Return which share of an epoch's ideas build upon the best."""
    if epoch == 0:
        return 0.0
    if config.explore is not None:
        return 1.0 - config.explore
    return min(0.5 + 0.1 * floor(epoch / 2), 0.8)


def plan_epoch(
    config: ResearchConfig,
    epoch: int,
    shown: Mapping[str, IdeasShown],
    description: Description,
) -> list[Assignment]:
    """Return the ideas of an epoch, which follow from those of the epochs before it.

    Args:
        config: The run's.
        epoch: Which.
        shown: What each author is shown of those.
        description: Says which score is better.
    """
    goal = description.table.evaluation.goal
    ranks = {author: [i.number for i in ranked(ideas, goal)] for author, ideas in shown.items()}
    exploits = round(exploit_share(config, epoch) * config.ideas)
    plan: list[Assignment] = []
    for place in range(config.ideas):
        number = 1 + epoch * config.ideas + place
        author = config.author(number)
        best = ranks[author][:BEST]
        if best and place < exploits:
            parent = best[place % len(best)]
            plan.append(Assignment(number, epoch, "exploit", parent, tuple(best)))
            continue
        past = [number for number in sorted(shown[author]) if number != BASELINE]
        drawn = stream(config.seed, "explore", number).sample(past, min(SAMPLED, len(past)))
        plan.append(Assignment(number, epoch, "explore", BASELINE, tuple(sorted(drawn))))
    return plan


def ranked(ideas: Mapping[int, ClosedIdea], goal: Goal) -> list[ClosedIdea]:
    """Return ideas with a score, the best first, the earliest of equals; of equal trees one."""

    def compare(left: ClosedIdea, right: ClosedIdea) -> int:
        if left.score == right.score or left.score is None or right.score is None:
            return left.number - right.number
        return -1 if is_better(goal, left.score, right.score) else 1

    trees: dict[str, ClosedIdea] = {}
    for number in sorted(ideas):
        if ideas[number].score is not None:
            trees.setdefault(ideas[number].manifest.tree_sha256, ideas[number])
    return sorted(trees.values(), key=cmp_to_key(compare))
