"""Measures task agents by the scorer that a task publishes, each in a process of its own.

A helper: it stands before a program in the text that is sent, after `bench`. An item costs what its
score lacks of 1, less than nothing above it, and FAILED where the scorer raises or returns no
finite number. Tracing would slow a solver down thirty times, so nothing is counted: the kernel ends
a process that takes far longer for an item than the start did, and its variant is out, as one is
that exits. Such a limit is generous, so that equal orders give equal results on a machine that is
not overloaded. Where the start alone takes a large share of the CPU time that the order allows,
fewer items and laps are used; how many follows from coarse measurements, and may differ.
"""

import copy
import linecache
import math
import mmap
import os
import random
import re
import resource
import signal
import sys
import time
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from hyperspace.offline.inside.bench import FAILED, FILE

MOST_SCORED = 200
LEAST_SCORED = 4
FIRST_SHARE = 0.1  # of the CPU time: what the start may take until no more items are used
TRIAL_SHARE = 0.6  # of the CPU time: what trials may take that cost as much as the start
SLOWER = 4.0  # times the start's CPU seconds for an item; with GRACE_S the limit of a variant
GRACE_S = 0.4
ASLEEP = 10.0  # CPU limits that may pass on the wall, up to MOST_ASLEEP_S
MOST_ASLEEP_S = 40.0
MOST_WALL_S = 100.0  # the shell ends a command after 120
LATE_S = 10.0  # after it: what the last variant may take until it is ended
GIVE_UP = 0.25  # of what the better one still pays: who is so far behind it is given up

MakeAgent = Callable[[], Any]
"""Loads code and returns its class `TaskAgent`; called in a process of its own."""


class Lap(NamedTuple):
    """What a variant cost: the mean, and each item in order if it went through all of them."""

    loss: float
    costs: tuple[float, ...] = ()


class Scorer:
    """The scorer of a task; `CPU_S` in it, if there, says how long an item may take."""

    def __init__(self, path: str) -> None:
        space = types.ModuleType("score")
        sys.modules["score"] = space  # dataclasses look their module up
        exec(compile(Path(path).read_bytes(), path, "exec"), space.__dict__)  # noqa: S102
        self.is_played = hasattr(space, "play")
        self.judge: Callable[[Any, Any], object] = getattr(
            space, "play" if self.is_played else "score"
        )
        self.most_s = float(getattr(space, "CPU_S", math.inf))

    def cost(self, make_agent: Any, inputs: dict[str, Any]) -> float:
        """Let a fresh agent answer or play an item; whatever it raises is a failure."""
        try:
            agent = make_agent("offline")
            if self.is_played:
                return cost_of(self.judge(inputs, agent))
            answer = agent.forward(copy.deepcopy(inputs))[0]
            return cost_of(self.judge(inputs, answer)) if isinstance(answer, str) else FAILED
        except BaseException:  # its own process: SystemExit fails one item too
            return FAILED


def cost_of(score: object) -> float:
    """What a score lacks of 1; FAILED if it is no finite number."""
    if type(score) not in (int, float):
        return FAILED
    number = float(str(score))
    return 1.0 - number if math.isfinite(number) else FAILED


class Race:
    """Measures variants on the same items, the start first, which decides how many are used."""

    def __init__(self, scorer: Scorer, items: Sequence[dict[str, Any]], order: dict[str, Any]):
        rng = random.Random(order["seed"])  # noqa: S311 - a choice of items, no secret
        self.scorer = scorer
        self.items = rng.sample(list(items), min(len(items), MOST_SCORED))
        self.cpu_s = float(order["cpu_s"])
        self.end_s, self.wall_end_s = spent_s() + self.cpu_s, time.monotonic() + MOST_WALL_S
        self.limits: list[float] = []
        self.shares: list[float] = []
        self.laps = math.inf

    def first(self, make: MakeAgent) -> Lap:
        """Measure the start on as many items as there is time for; cheap ones come first."""
        limits = [self.cpu_s / 4] * len(self.items)
        costs, seconds = self.lap(make, limits, [], self.cpu_s * FIRST_SHARE)
        if not costs:
            return Lap(2 * FAILED)
        count = len(costs) if len(costs) == len(self.items) else power_of_2(len(costs))
        order = sorted(range(count), key=lambda index: (bucket(seconds[index]), index))
        self.items = [self.items[index] for index in order]
        self.limits = [SLOWER * seconds[index] + GRACE_S for index in order]
        self.start_s = max(math.fsum(seconds[:count]), 0.001)
        weights = [4.0 ** bucket(seconds[index]) for index in order]
        self.shares = [weight / math.fsum(weights) for weight in weights]
        return Lap(math.fsum(costs[:count]) / count, tuple(costs[index] for index in order))

    def attempt(self, make: MakeAgent, near: Sequence[float] = ()) -> Lap:
        """Measure a variant; it is given up once it is far behind the costs of a better one.

        Of the laps that are allowed, it takes the share of the items that it went through.
        """
        if not self.items or self.laps <= 0 or self.is_over():
            return Lap(2 * FAILED)
        left_s = max(self.end_s - spent_s(), GRACE_S)
        limits = [min(limit, left_s) for limit in self.limits or [GRACE_S] * len(self.items)]
        costs, _ = self.lap(make, limits, near)
        self.laps -= math.fsum(self.shares[: len(costs)] if costs else self.shares)
        if not costs:
            return Lap(2 * FAILED)
        mean = math.fsum([*costs, *near[len(costs) :]]) / len(self.items)
        return Lap(mean, tuple(costs) if len(costs) == len(self.items) else ())

    def is_over(self) -> bool:
        """Whether the time of the search is used up."""
        return spent_s() > self.end_s or time.monotonic() > self.wall_end_s

    def allow(self, trials: int) -> None:
        """Allow as many whole laps as there is time for, by a coarse measure of the start."""
        fitting = self.cpu_s * TRIAL_SHARE / self.start_s if self.limits else trials
        if fitting < trials:
            self.laps = power_of_2(fitting)

    def lap(
        self, make: MakeAgent, limits: list[float], near: Sequence[float], enough_s: float = 0.0
    ) -> tuple[list[float], list[float]]:
        """Costs and CPU seconds of the items, one after another, in a child process.

        Both are empty if the child did not end by itself. `enough_s` ends the lap early.
        """
        board = memoryview(mmap.mmap(-1, 16 * len(limits) + 8)).cast("d")
        child = os.fork()
        if child == 0:
            try:
                be_quiet()
                self._run(make, limits, near, enough_s, board)
            finally:
                os._exit(0)  # neither the parent's clean-up nor its output is the child's
        os.waitpid(child, 0)
        count = int(board[0])
        return list(board[1 : 2 * count : 2]), list(board[2 : 2 * count + 1 : 2])

    def _run(
        self,
        make: MakeAgent,
        limits: list[float],
        near: Sequence[float],
        enough_s: float,
        board: "memoryview[float]",
    ) -> None:
        """Answer the items; the first place of the board is set at the very end alone.

        The clock is the thread's: that of a process goes by ticks while a limit is set.
        """
        began_s, behind, left = time.thread_time(), 0.0, math.fsum(map(abs, near))
        last_s = self.wall_end_s + LATE_S
        bound(limits[0], last_s)
        make_agent, count = make(), 0
        for item, limit in zip(self.items, limits, strict=True):
            before_s = time.thread_time()
            bound(min(limit, self.scorer.most_s), last_s)
            price = self.scorer.cost(make_agent, item["inputs"])
            after_s = time.thread_time()
            board[2 * count + 1], board[2 * count + 2] = price, after_s - before_s
            count += 1
            if near:
                behind, left = behind + price - near[count - 1], left - abs(near[count - 1])
                if behind > GIVE_UP * left + 1e-9:
                    break
            elif enough_s and count >= LEAST_SCORED and after_s - began_s > enough_s:
                break
        board[0] = count


def be_quiet() -> None:
    """Drop whatever this process prints, by Python or beside it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as it lives


def bound(cpu_s: float, last_s: float) -> None:
    """Have the kernel end this process after so many more CPU seconds, asleep somewhat later.

    In any case it ends when the machine's monotonic clock shows `last_s`.
    """
    left_s = max(last_s - time.monotonic(), 0.001)
    for signals, timer, limit in (
        (signal.SIGPROF, signal.ITIMER_PROF, cpu_s),
        (signal.SIGALRM, signal.ITIMER_REAL, min(ASLEEP * cpu_s, MOST_ASLEEP_S, left_s)),
    ):
        signal.signal(signals, signal.SIG_DFL)
        signal.setitimer(timer, limit)


def rounded(value: float, like: str) -> float:
    """Round to as many digits as a number in source text has, at least 3; a whole one stays."""
    digits = max(3, len(re.sub(r"^[-0.]+|\.|[eE].*$", "", like)))
    return value if isinstance(value, int) else float(f"{value:.{digits}g}")


def spent_s() -> float:
    """CPU seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def bucket(cpu_s: float) -> int:
    """The power of 4 next above some seconds, from 10 ms on: a measure that mostly repeats."""
    return math.ceil(math.log(max(cpu_s, 0.01), 4))


def power_of_2(count: float) -> int:
    """The power of 2 next below, at least 1."""
    return 2 ** math.floor(math.log2(max(count, 1.0)))


def make_source(source: str) -> MakeAgent:
    """How to load a source."""

    def make() -> Any:
        linecache.cache[FILE] = len(source), None, source.splitlines(keepends=True), FILE
        space = types.ModuleType("task_agent")
        sys.modules["task_agent"] = space
        exec(compile(source, FILE, "exec"), space.__dict__)  # noqa: S102 - its own sandbox
        return space.TaskAgent

    return make
