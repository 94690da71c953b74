"""Steps 1 and 2: what an agent sees this round, and the workspace made from it."""

from collections.abc import Iterable

import msgspec

from agents.workspace import PastGeneration, Strategy, TrainRows, materialize
from domains.base import Domain
from evolution.manifest import Closing
from evolution.team import Participant, Team


class Sight(msgspec.Struct, frozen=True):
    """What is in sight of one agent in one round.

    Attributes:
        strategies: Peers' best published strategies as of the start of the round.
        mark_ids: Ids of the marks that they came from, in the same order.
    """

    strategies: tuple[Strategy, ...]
    mark_ids: tuple[str, ...]


def look(team: Team, who: Participant, generation: int) -> Sight:
    """Take the snapshot of the round.

    Only generations below this one count, so every agent of the round sees the same, whoever
    moved first, and so does a run that was resumed in the middle of a round.
    """
    found = [
        team.marks.strategy(peer.name, best.generation)
        for peer in team.peers(who)
        if (best := team.archives[peer.name].best_before(generation)) is not None
    ]
    return Sight(
        tuple(strategy for _, strategy in found), tuple(str(mark_id) for mark_id, _ in found)
    )


def workspace_files(
    team: Team, who: Participant, code: dict[str, str], history: Iterable[int], sight: Sight
) -> dict[str, bytes]:
    """Make the workspace: own code, runtime, bounded history, strategies in sight."""
    domain, visible = team.domain, team.config.visible
    return materialize(
        code,
        team.runtime,
        TrainRows(domain.items("train"), domain.labels("train")),
        [_past(team, who.name, generation) for generation in history],
        sight.strategies,
        visible,
    )


def shown_generations(
    team: Team, who: Participant, parent: int, *, parent_only: bool = False
) -> list[int]:
    """Which of its own generations an agent sees in `evals/`.

    Args:
        team: Whose run this is.
        who: The agent.
        parent: The generation that it goes on from.
        parent_only: Show that one alone, whatever the run's terms say.
    """
    solo = team.config.solo
    if parent_only or (solo is not None and solo.history == "parent"):
        return [parent]
    return team.archives[who.name].shown(best=team.config.visible.val != "none")


def _past(team: Team, agent: str, generation: int) -> PastGeneration:
    closing, code = team.marks.closing(agent, generation), team.marks.code(agent, generation)
    return past_generation(closing, code, team.domain)


def past_generation(closing: Closing, code: dict[str, str], domain: Domain) -> PastGeneration:
    """What an agent is shown of one of its own generations: train in full, validation scores."""
    manifest = closing.manifest
    if not isinstance(manifest.generation, int):
        raise TypeError("the final evaluation is never shown")
    train = manifest.splits.get("train")
    return PastGeneration(
        generation=manifest.generation,
        parent=manifest.parent,
        valid=manifest.valid,
        error=manifest.error,
        metric=domain.metric,
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        train_predictions={} if train is None else train.predictions,
        staged_only=train is not None and train.staged_only,
        task_agent=code.get("task_agent.py", ""),
        higher_is_better=domain.higher_is_better,
    )
