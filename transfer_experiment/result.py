"""What a paired run came to, read from its space: for tables, for JSON, for summary.json."""

from typing import Any

import msgspec

from hyperspace.export.retention import adoptions_on_record, adoptions_sha256, dropped
from hyperspace.kernel.events import Nothing
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import RunEnd
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.summaries.outcome import AgentResult, tally, without_unused
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.recorded import recorded_in
from transfer_experiment.divergence import Divergence, first_divergence, with_validity
from transfer_experiment.running_analysis import adopted_in


class PairResult(msgspec.Struct, frozen=True):
    """Result of a paired run.

    Attributes:
        run: The run folder.
        digest: Equal for equal runs (see `hyperspace.kernel.state.digest`).
        seconds: Wall time of all closed generations.
        agents: In turn order.
        adoptions: Events with the verdict `adopted`; None if they are not known any more: traces
            were dropped, and the summary that told what they showed is lost.
        violations: How many things the guard refused; what a policy only flagged is none.
        was_finished: True when the run was found finished and no work was done.
        diverged: Where a recorded agent was first asked something else than in its record; None
            if there was no such moment.
        test_exposed: Whether the test split was looked at before the last generation was closed.
        ended: Its end before its last generation; None where it has none.
        nothing: What is said of each agent that came to nothing, by its name.
        came_to_nothing: Whether none of its agents came to anything
            (`hyperspace.kernel.views.nothing`).
    """

    run: str
    digest: str
    seconds: float
    agents: tuple[AgentResult, ...]
    adoptions: tuple[Adoption, ...] | None
    violations: int
    was_finished: bool = False
    diverged: Divergence | None = None
    test_exposed: bool = False
    nothing: dict[str, Nothing] = {}
    ended: RunEnd | None = None
    came_to_nothing: bool = False

    def fields(self) -> dict[str, Any]:
        """Return the fields that are about the run; those that are rare only where they apply."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        del fields["was_finished"]
        if self.diverged is None:
            del fields["diverged"]
        if not self.test_exposed:
            del fields["test_exposed"]
        return without_unused(fields)


def result_on_record(folder: RunFolder, marks: RunMarks) -> dict[str, Any]:
    """Read what a run of any kind came to, as its summary.json has to tell it.

    Raises:
        RunDamaged: Its summary tells other adoptions than are on record.
    """
    if marks.config.solo is not None:
        from replication.result import fields_in_space  # with all that plays a solo arm

        return fields_in_space(folder, marks)
    return compose(folder, marks).fields()


def compose(folder: RunFolder, marks: RunMarks, *, was_finished: bool = False) -> PairResult:
    """Put a result together from an open space.

    Raises:
        RunDamaged: Traces were dropped, and the summary tells other adoptions than are on record.
    """
    outcome = tally(marks)
    split = [agent.diverged for agent in outcome.agents.values() if agent.diverged is not None]
    diverged = first_divergence(split, marks.config.agents)
    since = None if diverged is None else diverged.generation
    return PairResult(
        run=str(folder.root),
        digest=outcome.digest,
        seconds=outcome.seconds,
        agents=tuple(agent.result() for agent in outcome.agents.values()),
        adoptions=_adoptions(folder, marks, since),
        violations=outcome.refused,
        was_finished=was_finished,
        diverged=diverged,
        test_exposed=any(map(marks.was_tested_before, marks.config.agents)),
        nothing=outcome.nothing,
        ended=outcome.ended,
        came_to_nothing=outcome.came_to_nothing,
    )


def _adoptions(
    folder: RunFolder, marks: RunMarks, since: int | str | None
) -> tuple[Adoption, ...] | None:
    """Return what was adopted: as traces show it, or as it was recorded when they went."""
    shown = with_validity(adopted_in(folder, marks, marks.config.agents), since)
    if not dropped(marks) or adoptions_on_record(marks.space) == adoptions_sha256(shown):
        return shown
    return recorded_in(folder, marks.space)
