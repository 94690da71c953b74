"""What each constant of the search policies decides: `python -m benchmarks.sensitivity`.

Every constant is set to a quarter, half, twice and four times its value (or to what `--factors`
says), and its policy is played without sandboxes (tests/support/runs/simulation.py) on the same run
seeds. A play *passes* if its best generation scores better on validation than the seed agent. One
table row a constant; a cell says how many plays pass and their mean best validation score.
Constants that are no options are changed in a copy of `agents/` that a process of its own imports;
of a table of factors each is raised to the power, of a table of steps each is multiplied. Those of
the grader are not here: no model is asked in these plays.
"""

import argparse
import ast
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hyperspace.offline.catalog import POLICIES, NumberOption
from hyperspace.offline.registry import named
from hyperspace.tasks.registry import load
from tests.support.paths import ROOT
from tests.support.runs.simulation import play_pair

Value = float | tuple[float, ...]
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
PARTNERS = {"magpie": "tinker", "breeder": "mutator"}
"""Who plays beside a policy that takes from its peers."""

HISTORY, RECORD = "hyperspace/offline/history.py", "hyperspace/offline/record.py"
TUNE, EVOLVE = "hyperspace/offline/inside/tune_constants.py", "hyperspace/offline/inside/evolve.py"
SURGERY, SEARCHERS = (
    "hyperspace/offline/inside/surgery.py",
    "hyperspace/offline/policies/searchers.py",
)
BENCH, JUDGING = "hyperspace/offline/inside/bench.py", "hyperspace/offline/inside/judging.py"


class Constant(NamedTuple):
    """A constant of a policy.

    Attributes:
        policy: Whose.
        name: Its name, as an option or in its module.
        file: The module that holds it; empty for an option.
    """

    policy: str
    name: str
    file: str = ""


CONSTANTS = (
    *(Constant("tinker", name) for name in ("trials", "spread", "share")),
    *(Constant("tinker", name, HISTORY) for name in ("TOLERANCE", "MOST_PATIENCE")),
    *(Constant("tinker", name, TUNE) for name in ("REACH", "HALVINGS", "FIRST_CAP", "LAST_CAP")),
    *(Constant("tinker", name, TUNE) for name in ("PROBE", "GROWTH")),
    *(Constant("magpie", name) for name in ("trials", "spread", "share")),
    *(Constant("magpie", name, TUNE) for name in ("MATING", "LEAST_PULL")),
    *(Constant("mutator", name) for name in ("trials", "spread")),
    *(Constant("mutator", name, JUDGING) for name in ("LEAST_ITEMS", "MOST_WORK")),
    Constant("mutator", "MOST_STEPS", BENCH),
    *(Constant("mutator", name, SURGERY) for name in ("FACTORS", "STEPS")),
    Constant("mutator", "DIP", RECORD),
    Constant("mutator", "MOST_WAITED", SEARCHERS),
    *(Constant("climber", name) for name in ("trials", "restarts", "patience", "spread")),
    Constant("climber", "SHAKES", EVOLVE),
    *(Constant("breeder", name) for name in ("trials", "spread")),
    *(Constant("mender", name) for name in ("trials", "spread")),
)


class Setting(NamedTuple):
    """What is played.

    Attributes:
        domain: Its name, with options.
        seeds: Number of run seeds.
        generations: Number of generations.
    """

    domain: str
    seeds: int
    generations: int


class Plays(NamedTuple):
    """What one setting reached on all run seeds.

    Attributes:
        seed: Validation score of the seed agent.
        bests: Best validation score of the policy, one a run seed.
    """

    seed: float
    bests: tuple[float, ...]

    def __str__(self) -> str:
        passed = sum(best > self.seed for best in self.bests)
        return f"{passed}/{len(self.bests)} {statistics.mean(self.bests):.2f}"


def main(argv: Sequence[str] | None = None) -> None:
    """Measure every constant that the command line asks for, or play one setting for it."""
    arguments = _parser().parse_args(argv)
    setting = Setting(arguments.domain, arguments.seeds, arguments.generations)
    if arguments.play:
        print(json.dumps(play(arguments.play, setting)))
        return
    print(f"{setting.domain}, {setting.generations} generations, {setting.seeds} run seeds")
    print(
        "| policy | constant | default | "
        + " | ".join(f"x {f:g}" for f in arguments.factors)
        + " |"
    )
    print("|---" * (3 + len(arguments.factors)) + "|")
    for constant in CONSTANTS:
        if constant.policy in arguments.policies:
            cells = " | ".join(map(str, _measured(constant, arguments.factors, setting)))
            shown = str(default_of(constant)).strip("()")
            print(f"| {constant.policy} | `{constant.name}` | {shown} | {cells} |", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", default="repo_quality", help="its name, with options")
    parser.add_argument("--seeds", type=int, default=3, help="run seeds: 1 to this one")
    parser.add_argument("--generations", type=int, default=4)
    policies = tuple(dict.fromkeys(constant.policy for constant in CONSTANTS))
    parser.add_argument("--policies", nargs="+", choices=policies, default=policies)
    parser.add_argument("--factors", type=float, nargs="+", default=FACTORS)
    parser.add_argument("--play", metavar="POLICY", help="play one setting, print what it reached")
    return parser


def play(policy: str, setting: Setting) -> Plays:
    """Play a policy, by its name with options, in this process."""
    domain, bests = load(setting.domain), list[float]()
    name = policy.partition("?")[0]
    policies = {name: named(policy)}
    if name in PARTNERS:
        policies[PARTNERS[name]] = named(PARTNERS[name])
    first = 0.0
    for seed in range(1, setting.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            player, *_ = play_pair(
                domain, policies, Path(folder), generations=setting.generations, seed=seed
            )
        first = player.generations[0].val
        bests.append(player.best.val)
    return Plays(first, tuple(bests))


def _measured(constant: Constant, factors: Sequence[float], setting: Setting) -> Iterator[Plays]:
    for factor in factors:
        if factor == 1.0:
            yield _played(constant.policy, ROOT, setting)
            continue
        value = scaled(constant, factor)
        with tempfile.TemporaryDirectory() as folder:
            if constant.file:
                change(Path(folder), constant, value)
            option = "" if constant.file else f"?{constant.name}={value}"
            yield _played(f"{constant.policy}{option}", Path(folder), setting)


def default_of(constant: Constant) -> Value:
    """What a constant is."""
    if constant.file:
        return ast.literal_eval(_definition(constant, (ROOT / constant.file).read_text("utf-8"))[1])
    return getattr(named(constant.policy), constant.name)


def scaled(constant: Constant, factor: float) -> Value:
    """The constant times a factor, within what its option may be; a whole one stays whole."""
    default = default_of(constant)
    if isinstance(default, tuple):
        return tuple(v**factor if isinstance(v, float) else _times(v, factor) for v in default)
    value = _times(default, factor)
    option = None if constant.file else POLICIES[constant.policy].options[constant.name]
    return min(value, option.high) if isinstance(option, NumberOption) else value


def _times(value: float, factor: float) -> float:
    if isinstance(value, int):
        return int(math.copysign(max(1, round(abs(value) * factor)), value))
    return value * factor


def change(folder: Path, constant: Constant, value: Value) -> None:
    """Copy the program into a folder and set a constant there that is no option."""
    for name in ("agents", "hyperspace"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc"))
    path = folder / constant.file
    source = path.read_text("utf-8")
    start, end = _definition(constant, source).span(1)
    path.write_text(f"{source[:start]}{value!r}{source[end:]}", "utf-8")


def _definition(constant: Constant, source: str) -> re.Match[str]:
    [definition] = re.finditer(rf"^{constant.name} = ([\d._]+|\([^()]*\))", source, re.MULTILINE)
    return definition


@cache
def _played(policy: str, folder: Path, setting: Setting) -> Plays:
    """Play a setting in a process that finds the packages of a folder before those of the project.

    Raises:
        CalledProcessError: It fails.
    """
    command = [sys.executable, "-m", "benchmarks.sensitivity", "--play", policy]
    for name, value in setting._asdict().items():
        command += [f"--{name}", str(value)]
    path = os.pathsep.join((str(folder), str(ROOT)))
    env = os.environ | {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    seed, bests = json.loads(done.stdout)
    return Plays(seed, tuple(bests))


if __name__ == "__main__":
    main()
