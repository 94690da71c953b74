"""Plays one fleet in a process of its own, and notes what it has used when each part of it ends."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.counted import Seconds
from benchmarks.crowd import task

PARTS = ("start", "play", "test", "end")
_HERE = Path(__file__).parents[2]
_MOST_ALIKE = 1000  # agents of one entry in a fleet's file
_TICKS_A_S = os.sysconf("SC_CLK_TCK")


class Used(NamedTuple):
    """What was used up to a moment, or in a part of a run.

    Attributes:
        wall_s: Time that passed.
        own_s: CPU time of the coordinator's process.
        cpu_s: CPU time of everything, sandboxes and this program included.
    """

    wall_s: float
    own_s: float
    cpu_s: float

    def since(self, before: "Used") -> "Used":
        """Return what was used after another moment."""
        return Used(*(now - then for now, then in zip(self, before, strict=True)))


class FleetCost(NamedTuple):
    """What a fleet cost.

    Attributes:
        parts: What each part used, by `PARTS`.
        peak_bytes: Most memory of the coordinator.
        space_bytes: Of space.db.
        marks: Marks in it.
    """

    parts: dict[str, Used]
    peak_bytes: int
    space_bytes: int
    marks: int


def play_fleet(
    agents: int, players: int, generations: int, schedule: str, cpu_s: Seconds
) -> FleetCost:
    """Play a fleet on the least task once, in a folder that is thrown away.

    Args:
        agents: How many there are.
        players: How many of them play on after generation 0.
        generations: Of each of those, after generation 0.
        schedule: When they play.
        cpu_s: CPU time of this process and of all that it starts, so far.

    Raises:
        RuntimeError: The fleet failed.
    """
    with tempfile.TemporaryDirectory(prefix="crowd-") as name:
        folder = Path(name)
        file = folder / "fleet.toml"
        file.write_text(_terms(agents, players, generations, schedule))
        command = (sys.executable, "-P", "-m", "hyperspace", "fleet", "--config", str(file))
        with (
            (folder / "errors").open("w") as errors,
            subprocess.Popen(
                [
                    *command,
                    *("--sandbox", "bubblewrap", "--trust", "--events"),
                    *("--results", f"{folder}/results"),
                ],
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(_HERE)},
            ) as process,
        ):
            meter = _Meter(process.pid, generations, cpu_s)
            meter.follow(process.stdout or ())
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        errors = (folder / "errors").read_text()
        if process.returncode != 0 and " came to nothing: " not in errors:
            raise RuntimeError(f"the fleet failed: {errors[-2000:]}")
        (space,) = (folder / "results").glob("*/*/*/space.db")
        with closing(sqlite3.connect(space)) as connection:
            marks: int = connection.execute("SELECT count(*) FROM marks").fetchone()[0]
        return FleetCost(meter.parts(), used.ru_maxrss * 1024, space.stat().st_size, marks)


class _Meter:
    """Notes what is used whenever a part of a run may have ended."""

    def __init__(self, process: int, generations: int, cpu_s: Seconds) -> None:
        self._stat = Path(f"/proc/{process}/stat")
        self._generations = generations
        self._cpu_s = cpu_s
        self._moments = {"begun": self._now()}

    def follow(self, lines: Iterable[bytes]) -> None:
        """Read events until the process ends."""
        for line in lines:
            event: dict[str, Any] = msgspec.json.decode(line)
            part = self._ended(event)
            if part:
                self._moments[part] = self._now()
        self._moments["end"] = self._now()

    def parts(self) -> dict[str, Used]:
        """Return what each part used."""
        moments = [self._moments[name] for name in ("begun", *PARTS)]
        pairs = zip(moments[1:], moments[:-1], strict=True)
        return {name: now.since(then) for name, (now, then) in zip(PARTS, pairs, strict=True)}

    def _ended(self, event: dict[str, Any]) -> str:
        kind = event.get("type")
        if kind == "StepReached" and "start" not in self._moments:
            return "start"
        if kind == "GenerationClosed" and event["generation"] == self._generations:
            return "play"
        return "test" if kind == "ItemEvaluated" and event["split"] == "test" else ""

    def _now(self) -> Used:
        fields = self._stat.read_text().rpartition(")")[2].split()
        own_s = (int(fields[11]) + int(fields[12])) / _TICKS_A_S
        return Used(time.monotonic(), own_s, self._cpu_s())


def _terms(agents: int, players: int, generations: int, schedule: str) -> str:
    head = (
        f'name = "crowd"\ndomain = "{task.__file__}:crowd"\n'
        f'generations = {generations}\nschedule = "{schedule}"\n\n[sharing]\nshow = "top"\n'
    )
    seats = (
        f'\n[[agents]]\nmodel = "offline/tinker"\nname = "{name}{at}"\nbudget = {budget}\n'
        f"count = {min(_MOST_ALIKE, number - at)}\n"
        for name, number, budget in (("p", players, generations), ("r", agents - players, 0))
        for at in range(0, number, _MOST_ALIKE)
    )
    return head + "".join(seats)
