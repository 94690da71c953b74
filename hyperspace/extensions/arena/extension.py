"""What the loop asks of an arena: the turns of its testers, solvers and children."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from hyperspace.extensions.arena.newborn import mutate_child
from hyperspace.extensions.arena.round_end import close_round
from hyperspace.extensions.arena.solver import solver_files
from hyperspace.extensions.arena.tester import judge_proposals, tester_files
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.run.round_end import RoundEnd
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Manifest
from hyperspace.kernel.state.scopes import CASES as SCOPE
from markspace import Observation


class ArenaTurns(Extension, RoundEnd):
    """Testers write cases and the oracle judges them; solvers are told; children differ."""

    def close_round(self, context: RunContext, number: int) -> None:
        """Write down what a round came to; children take the places of the worst."""
        close_round(context, number)

    async def begin(
        self, attempt: Attempt, candidate: Candidate, visible: VisibleStrategies
    ) -> None:
        """Let a child's model change what it inherited."""
        await mutate_child(attempt, candidate, visible)

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Return the host's words to a tester or a solver."""
        if not attempt.context.rounds.answers_items(attempt.who.name):
            return tester_files(attempt)
        return solver_files(attempt, candidate, own)

    def metadata(self, manifest: Manifest) -> dict[str, object]:
        """Count a tester's cases by verdict."""
        counts = Counter(case.verdict for case in manifest.cases)
        return {"cases": counts} if counts else {}

    def observations(self, manifest: Manifest) -> Iterator[Observation]:
        """Yield a mark for each case that a tester proposed."""
        for case in manifest.cases:
            yield Observation(
                scope=f"{SCOPE}/{manifest.agent}",
                topic=f"gen/{manifest.generation}",
                content=msgspec.to_builtins(case),
                confidence=1.0 if case.stands else 0.0,
            )

    async def judge(self, attempt: Attempt, candidate: Candidate) -> bool:
        """Let the oracle judge a tester's cases."""
        if attempt.context.rounds.answers_items(attempt.who.name):
            return False
        attempt.reach("evaluate")
        judge_proposals(attempt, candidate)
        return True
