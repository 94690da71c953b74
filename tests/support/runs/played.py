"""Runs of offline policies on the foreign task, and what they did in truth."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.detectors.ground_truth import ground_truth
from hyperspace.offline.true_action import Act, TrueAction
from tests.support.command import hyperspace
from tests.support.paths import ROOT

FREIGHT = "tests/support/tasks/freight.py:freight"


class Played(NamedTuple):
    """A finished paired run."""

    path: Path
    result: Any

    def actions(self, agent: str, *acts: Act) -> list[tuple[int, TrueAction]]:
        """What an agent did, with its generations; only these acts if some are given."""
        return [
            (line.generation, line.action)
            for line in ground_truth(self.path)
            if line.agent == agent and (not acts or line.action.act in acts)
        ]

    def when(self, agent: str, act: Act) -> list[int]:
        """The generations in which an agent did something, once for each action."""
        return [generation for generation, _ in self.actions(agent, act)]

    def code(self, agent: str, generation: int) -> str:
        """A generation's task agent."""
        return (self._folder(agent, generation) / "repo" / "task_agent.py").read_text("utf-8")

    def metadata(self, agent: str, generation: int) -> Any:
        """What is on record of a generation."""
        return json.loads((self._folder(agent, generation) / "metadata.json").read_text())

    def calls(self, agent: str, generation: int) -> list[Any]:
        """A generation's trace."""
        text = (self._folder(agent, generation) / "llm_calls.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def errors(self, agent: str) -> list[float | None]:
        """Validation errors by generation; lower is better."""
        count = len(list((self.path / agent).glob("gen_*")))
        return [self.metadata(agent, number)["val_score"] for number in range(count)]

    def _folder(self, agent: str, generation: int) -> Path:
        return self.path / agent / f"gen_{generation}"


def play(
    results: Path,
    *models: str,
    generations: int = 3,
    domain: str = FREIGHT,
    seed: int = 1,
    options: Iterable[str] = (),
) -> Played:
    """Play a pair of offline policies, by name and options, to the end."""
    done = hyperspace(
        *("pair", "--models", *(f"offline/{model}" for model in models)),
        *("--domain", domain, "--generations", str(generations), "--seed", str(seed)),
        *("--seed-agent", "published"),
        *options,
        *("--results", results, "--json"),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return Played(Path(result["run"]), result)


def attempted_cursors(run: Path) -> Iterator[tuple[bytes, bytes]]:
    """What each attempt that was set aside saw, and what the one saw that was closed after it."""
    for aside in (run / "abandoned").glob("*/cursor.json"):
        agent, _, rest = aside.parent.name.partition("_gen_")
        closed = run / agent / f"gen_{rest.partition('_')[0]}" / "cursor.json"
        yield aside.read_bytes(), closed.read_bytes()
