"""The causal rule alone, on the marks of a run of ours: of all generations, or as they come."""

from collections.abc import Sequence

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.runs.ours import read_turn
from hyperspace.runs.records import StrategyRead
from transfer_experiment.adoption.causal_rule import CausalJudge
from transfer_experiment.adoption.events import Adoption, adopted, in_order
from transfer_experiment.turns.code import Texts, code_of
from transfer_experiment.turns.facts import facts_of
from transfer_experiment.turns.steps import read_steps


def adopted_in(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> list[Adoption]:
    """Return what was adopted in a run by the causal rule, in order; nothing else is kept."""
    running = RunningAnalysis(folder)
    closings = (closing for agent in agents for closing in marks.closings(agent))
    return in_order(e for c in closings for e in adopted(running.take(marks, c)))


class RunningAnalysis:
    """Judges generations as they are closed; each costs the same, however long the run.

    Args:
        folder: The run's.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._judges: dict[str, CausalJudge] = {}
        self._texts = Texts()
        self._strategies: dict[str, StrategyRead] = {}

    def take(self, marks: RunMarks, closing: Closing) -> list[Adoption]:
        """Judge every strategy that was in sight of an agent's next generation.

        Args:
            marks: The run's open space.
            closing: The generation; those of one agent come in their order, and its final
                evaluation, which has nothing to judge, last.
        """
        agent = closing.manifest.agent
        if not isinstance(closing.manifest.generation, int):
            self._judges.pop(agent, None)  # in a large fleet not all fit into memory
            return []
        turn = read_turn(self._folder, marks, closing, self._strategies)
        judge = self._judges.setdefault(agent, CausalJudge(agent))
        facts = facts_of(turn, read_steps(turn.trace))
        code = code_of(turn, facts, self._texts, judge.lineages.had)
        events = judge.judge(code)
        judge.take(code)
        return events
