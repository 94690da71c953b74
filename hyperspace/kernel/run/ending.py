"""Where a run ends before its last generation: a score is reached, or nobody gets any better.

Agents that take turns are looked at between rounds, so that all have made as many generations; one
that plays alone, and those at their own pace, before each generation. What has begun is finished;
where it is a new best, the run goes on.
"""

from collections.abc import Collection, Mapping

from hyperspace.kernel.events import Notice
from hyperspace.kernel.generation.report import record_incident
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import end_on_record
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.manifest import RunEnd
from hyperspace.kernel.state.terms import EndTerms
from hyperspace.wall_clock import utc_now


def has_ended(context: RunContext) -> bool:
    """Return whether the run ends here."""
    return _end_of(context) is not None


def record_end(context: RunContext) -> None:
    """Put on record that the run has ended by its terms, and tell why; nothing if it has not."""
    end = _end_of(context)
    if end is not None and end_on_record(context.marks, end.closed) is None:
        record_incident(context, end)
        context.emit(Notice(f"{end.sentence}; the run ends"))


def _end_of(context: RunContext) -> RunEnd | None:
    if context.end == EndTerms():
        return None
    names, archives = context.config.agents, context.archives
    stopped = {name for name in names if context.steering.standing(name).is_stopped}
    upwards = context.domain.higher_is_better
    return find_end(context.end, context.config, archives, stopped, higher_is_better=upwards)


def find_end(
    terms: EndTerms,
    config: RunConfig,
    archives: Mapping[str, Archive],
    stopped: Collection[str] = (),
    *,
    higher_is_better: bool,
) -> RunEnd | None:
    """Return the end that a run has come to by its terms; None if it goes on.

    Args:
        terms: The terms.
        config: The run's.
        archives: What is closed of each agent.
        stopped: Agents that the principal has stopped.
        higher_is_better: Whether a larger score is a better one.
    """
    closed = sum(archive.next_generation() for archive in archives.values())
    if terms.target_score is not None:
        sign = 1 if higher_is_better else -1
        for agent, archive in archives.items():
            best = archive.best
            if best is None or best.val_score is None:
                continue
            if sign * best.val_score >= sign * terms.target_score:
                where = agent, best.generation, best.val_score
                return RunEnd("target", terms.target_score, closed, utc_now(), *where)
    if terms.patience is None:
        return None
    playing = [
        archive
        for agent, archive in archives.items()
        if agent not in stopped and archive.next_generation() <= config.member(agent).generations
    ]
    if playing and all(archive.since_best >= terms.patience for archive in playing):
        return RunEnd("patience", terms.patience, closed, utc_now())
    return None
