"""Solo runs: what a command line plans, and played by it to the end, and read back."""

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from hyperspace.cli.commands import solo as command
from hyperspace.cli.solo_plan import PlannedSolo, plan
from tests.support.command import hyperspace

MODEL = "offline/climber?trials=5"  # what it finds does not matter here


class Solo(NamedTuple):
    """A finished solo run.

    Attributes:
        path: Its folder.
        result: What the command said of it.
    """

    path: Path
    result: Any

    def metadata(self, generation: int) -> Any:
        return json.loads((self._folder(generation) / "metadata.json").read_text())

    def code(self, generation: int, path: str, role: str = "") -> str:
        return (self._folder(generation) / role / "repo" / path).read_text()

    def calls(self, generation: int) -> list[Any]:
        lines = (self._folder(generation) / "llm_calls.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def summary(self) -> Any:
        return json.loads((self.path / "summary.json").read_text())

    def _folder(self, generation: int) -> Path:
        (agent,) = {path.parent.parent for path in self.path.glob("*/gen_0/metadata.json")}
        return agent / f"gen_{generation}"


def planned(*options: str, domain: str | None = "repo_quality") -> list[PlannedSolo]:
    """The runs that a command line asks for; none is played."""
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    args = parser.parse_args([*options, *(() if domain is None else ("--domain", domain))])
    args.argv = ("hyperspace", "solo", *options)
    return plan(args)


def solo(results: Path, *options: str | Path, iterations: int = 3, seed: int = 42) -> Solo:
    """Play one run of the climber on repo_quality."""
    numbers = ("--iterations", str(iterations), "--seed", str(seed), "--no-controls")
    done = hyperspace(
        *("solo", "--model", MODEL, "--domain", "repo_quality", *numbers, *options),
        *("--results", results, "--json"),
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return Solo(Path(result["run"]), result)
