"""Short offline runs, each of which shows something; played once, into a folder that is kept."""

import shutil
import signal
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.dashboard.made_fleet import make_fleet
from tests.support.command import PAIR, hyperspace
from tests.support.runs.copied import copied
from tests.support.runs.fleet_files import fleet_file
from tests.support.runs.going_on import playing
from tests.support.runs.steered import SteeredRun, read_until

FLEET: Final = "repo_quality/four/seed1"
STEERED: Final = "repo_quality/tinker_vs_magpie/seed2"
PAUSED: Final = "repo_quality/tinker_vs_magpie/seed3"
WAITING: Final = "repo_quality/tinker_vs_magpie/seed4"
PLAYING: Final = "repo_quality/tinker_vs_magpie/seed5"
PAIRED: Final = "repo_quality/tinker_vs_magpie/seed42"
RESEARCH: Final = "fit_line/search/seed42"
ARMS: Final = "sharing"
DAMAGED: Final = "repo_quality/damaged/seed1"
LONG: Final = "made/long/seed1"
_AT_ONCE: Final = 2
_TWO: Final = ('model = "offline/tinker"', 'model = "offline/magpie"')
_FOUR: Final = (
    *_TWO,
    'model = "offline/crasher?at=2&down=1"',
    'model = "offline/prober?rate=0.5"\nbudget = 4',
)
_ASKS: Final = """
import pathlib
from agent.tools import load_tools


class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        tools = load_tools()
        question = "Do empty repositories count as failed? Nine items of train have no code."
        said = tools["need"].run({"question": question, "blocking": "BLOCKING"})
        task = pathlib.Path(repo_path, "task_agent.py")
        task.write_text(task.read_text() + f"# {said!r}\\n")
"""


class KeptRuns:
    """The folder of runs, and what of it is there already."""

    def __init__(self, folder: Path) -> None:
        """Nothing is played yet.

        Args:
            folder: Of the results, and of what playing them needs.
        """
        self.results = folder / "results"
        self._inputs = folder / "inputs"
        self._made = folder / "made"

    def make(self) -> None:
        """Play what is not there."""
        for path in (self.results, self._inputs, self._made):
            path.mkdir(parents=True, exist_ok=True)
        recipes = (
            *(self._pair, self._fleet, self._arms, self._solo, self._steered),
            *(self._paused, self._long, self._research),
        )
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            tuple(pool.map(self._once, recipes))
        for recipe in (self._damaged, self._trashed):  # made of the others
            self._once(recipe)

    @contextmanager
    def live(self) -> Generator[None]:
        """Play one run, and let another wait for an answer, while the context lasts."""
        shutil.rmtree(self.results / PLAYING, ignore_errors=True)
        waiting = self._asking(WAITING, "yes", generations=2)
        with waiting.command() as process, playing(self.results, generations=400, seed=5):
            read_until(process, "tinker gen 1 waits for an answer")
            yield
            process.send_signal(signal.SIGTERM)

    def _once(self, recipe: Callable[[], None]) -> None:
        mark = self._made / recipe.__name__.strip("_")
        if not mark.exists():
            recipe()
            mark.touch()

    def _play(self, *words: str | Path, below: str = "") -> None:
        done = hyperspace(*words, "--results", self.results / below, timeout_s=600)
        assert done.returncode == 0, done.stderr

    def _pair(self) -> None:
        self._play("pair", *PAIR, "--generations", "10", "--seed", "42")

    def _fleet(self) -> None:
        file = fleet_file(self._inputs / "four.toml", "generations = 6", *_FOUR, name="four")
        self._play("fleet", "--config", file, "--seed", "1")

    def _arms(self) -> None:
        file = fleet_file(self._inputs / "arms.toml", "generations = 3", *_TWO, name="arms")
        arms = ("--arms", "sharing,none", "--seeds", "1..4", "--parallel", "1")
        self._play("fleet", "--config", file, *arms, below=ARMS)

    def _solo(self) -> None:
        model = ("--model", "offline/tinker", "--domain", "repo_quality", "--no-controls")
        for arm in "ab":
            self._play("solo", *model, "--arm", arm, "--seeds", "1..2", "--iterations", "4")

    def _steered(self) -> None:
        run = self._asking(STEERED, "no", generations=5)
        run.play_until("magpie:2:report")
        first = next(need for need in run.listed()["needs"] if need["agent"] == "tinker")
        for wish in (
            ("answer", first["id"], "Yes: no code, no quality."),
            ("say", "magpie", "Mind the repositories without tests."),
            ("pin", "magpie", "1"),
            ("fork", "tinker", "1", "--as", "branch"),
        ):
            run.steer(*wish)
        run.play()

    def _paused(self) -> None:
        run = _pair_of(self.results, PAUSED, generations=8)
        run.play_until("magpie:3:report")
        run.steer("pause")

    def _long(self) -> None:
        make_fleet(self.results / LONG, agents=8, last=150)

    def _research(self) -> None:
        models = ("--models", "offline/ideator", "offline/ideator?pairs=0")
        ideas = ("--epochs", "3", "--ideas", "6")
        self._play("research", "--env", "fit_line", *models, *ideas)

    def _damaged(self) -> None:
        space = copied(self.results / PAIRED, self.results / DAMAGED) / "space.db"
        space.write_bytes(space.read_bytes()[:5000])

    def _trashed(self) -> None:
        for seed in (8, 9):
            run = copied(self.results / PAIRED, self.results / f"repo_quality/old/seed{seed}")
            done = hyperspace("trash", run, "--results", self.results)
            assert done.returncode == 0, done.stderr

    def _asking(self, below: str, blocking: str, generations: int) -> SteeredRun:
        """A pair whose agents put a question; with `yes` they wait for the answer."""
        initial = self._inputs / f"asks_{blocking}"
        initial.mkdir(parents=True, exist_ok=True)
        (initial / "meta_agent.py").write_text(_ASKS.replace("BLOCKING", blocking))
        options: Sequence[str | Path] = ("--initial", initial, "--needs")
        return _pair_of(self.results, below, *options, generations=generations)


def _pair_of(results: Path, below: str, *options: str | Path, generations: int) -> SteeredRun:
    numbers = ("--generations", str(generations), "--seed", below.rpartition("seed")[2])
    return SteeredRun(results, below, "pair", *PAIR, *numbers, *options)
