"""What a paired run came to, read from its space: for tables, for JSON, for summary.json."""

from typing import Any

import msgspec

from evolution.state.config import RunConfig, read_record
from evolution.state.folder import RunFolder
from evolution.state.marks import RunMarks
from evolution.state.opening import reading
from evolution.views.outcome import AgentResult, tally
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.recorded import recorded_in
from transfer_experiment.divergence import Divergence, first_divergence, with_validity
from transfer_experiment.running_analysis import adopted_in


class PairResult(msgspec.Struct, frozen=True):
    """Result of a paired run.

    Attributes:
        run: The run folder.
        digest: Equal for equal runs (see `evolution.state.digest`).
        seconds: Wall time of all closed generations.
        agents: In turn order.
        adoptions: Events with the verdict `adopted`.
        violations: How many things the guard refused; what a policy only flagged is none.
        was_finished: True when the run was found finished and no work was done.
        diverged: Where a recorded agent was first asked something else than in its record; None
            if there was no such moment.
    """

    run: str
    digest: str
    seconds: float
    agents: tuple[AgentResult, ...]
    adoptions: tuple[Adoption, ...]
    violations: int
    was_finished: bool = False
    diverged: Divergence | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields that are about the run; divergence only where there was one."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        del fields["was_finished"]
        if self.diverged is None:
            del fields["diverged"]
        return fields


def read_result(folder: RunFolder, config: RunConfig, *, was_finished: bool) -> PairResult:
    """Read a finished run's result."""
    with reading(folder, config) as marks:
        result = compose(folder, config, marks, was_finished=was_finished)
    if read_record(folder.record).keep_traces == "all":
        return result
    # Without the traces there is no evidence to find again; the summary was written with it.
    return msgspec.structs.replace(result, adoptions=recorded_in(folder.root))


def compose(
    folder: RunFolder, config: RunConfig, marks: RunMarks, *, was_finished: bool = False
) -> PairResult:
    """Put a result together from an open space."""
    outcome = tally(marks)
    split = [agent.diverged for agent in outcome.agents.values() if agent.diverged is not None]
    diverged = first_divergence(split, config.agents)
    since = None if diverged is None else diverged.generation
    return PairResult(
        run=str(folder.root),
        digest=outcome.digest,
        seconds=outcome.seconds,
        agents=tuple(agent.result() for agent in outcome.agents.values()),
        adoptions=with_validity(adopted_in(folder, marks, config.agents), since),
        violations=outcome.refused,
        was_finished=was_finished,
        diverged=diverged,
    )
