"""Runs of scenarios: a folder of scenario files is played into `played/` beside them."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchmarks.detectors.scenario import Scenario, read_scenario
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import write_atomically
from hyperspace.models.names import OFFLINE
from hyperspace.options.fleet import FleetTerms, Member
from transfer_experiment.options import FleetOptions

_SUFFIXES = (".toml", ".json")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SEED = 1


class ScenarioRun(msgspec.Struct, frozen=True):
    """A scenario as a run.

    Attributes:
        file: The scenario's file.
    """

    file: Path

    @property
    def name(self) -> str:
        """The name of the file, and of the run."""
        return self.file.stem

    @property
    def folder(self) -> Path | None:
        """The folder of the finished run; None if it is not finished."""
        summaries = sorted(self._results.glob(f"*/{self.name}/seed{_SEED}/summary.json"))
        return summaries[0].parent if summaries else None

    @property
    def _results(self) -> Path:
        return self.file.parent / "played"

    def scenario(self) -> Scenario:
        """Read the file.

        Raises:
            UnknownModel: It is no scenario.
        """
        return read_scenario(self.file)

    def options(self, command: tuple[str, ...]) -> FleetOptions:
        """The options of the run: each agent plays its part for as long as it has turns.

        Raises:
            UnknownModel: The file is no scenario.
        """
        scenario, file = self.scenario(), self.file.resolve()
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        budgets = {
            agent: max((t.generation for t in scenario.turns if t.agent == agent), default=0)
            for agent in scenario.agents
        }
        return FleetOptions(
            models=tuple(
                f"{OFFLINE}scenario?file={file}&agent={agent}&sha256={sha256}"
                for agent in scenario.agents
            ),
            names=scenario.agents,
            fleet=FleetTerms(
                members=tuple(Member(budgets[each], scenario.scope) for each in scenario.agents)
            ),
            domain=scenario.domain,
            generations=max(budgets.values()),
            seed=_SEED,
            called=self.name,
            results=self._results.resolve(),
            command=command,
        )


def scenario_runs(folder: Path) -> list[ScenarioRun]:
    """The scenarios in a folder, by name.

    Raises:
        RunUsageError: It is no folder, or a name is no run's, or two scenarios have one name.
    """
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES)
    except OSError as error:
        raise RunUsageError(f"{folder} cannot be read: {error.strerror}") from error
    if len({path.stem for path in files}) < len(files):
        raise RunUsageError(f"{folder} has two scenarios of one name; rename one of them")
    for path in files:
        if not _NAME.fullmatch(path.stem):
            raise RunUsageError(f"{path}: name it with letters, digits, '.', '_' and '-' alone")
    return [ScenarioRun(path) for path in files]


def write_scenarios(folder: Path, scenarios: Mapping[str, Scenario]) -> list[ScenarioRun]:
    """Write scenarios down, each as a file; files that say the same are left as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scenario in scenarios.items():
        write_atomically(folder / f"{name}.json", msgspec.json.encode(scenario))
    return scenario_runs(folder)
