"""Sets of runs: each a process that tells its events, played side by side."""

from pathlib import Path

import msgspec
import pytest

from hyperspace.executor.jobs import PYTHON, CommandJob
from hyperspace.kernel.events import Event, Notice
from hyperspace.launch.sets import Planned, processes, run_set

SAY = "import sys; print({!r}, flush=True); "


def nobody(_label: str, _event: Event) -> None:
    """Is told and does nothing."""


def planned(label: str, program: str) -> Planned:
    # Equal jobs would be one job.
    return Planned(label, CommandJob(commands=((PYTHON, "-c", program, label),)))


def event(text: str) -> str:
    return SAY.format(msgspec.json.encode(Notice(text)).decode())


def test_events_are_told_with_the_run_s_label_and_the_last_json_is_the_result() -> None:
    told: list[tuple[str, Event]] = []
    runs = [
        planned("one", event("begun") + SAY.format("no JSON") + SAY.format('{"run": 1}')),
        planned("two", event("going") + SAY.format('{"run": 2}')),
    ]
    outcomes = run_set(runs, processes(2, 2), lambda label, event: told.append((label, event)))
    assert [(outcome.label, outcome.result) for outcome in outcomes] == [
        ("one", {"run": 1}),
        ("two", {"run": 2}),
    ]
    assert sorted(label for label, _ in told) == ["one", "two"]
    assert dict(told) == {"one": Notice("begun"), "two": Notice("going")}


def test_one_that_fails_stops_none_of_the_others_and_says_why() -> None:
    failing = "import sys; print('first', file=sys.stderr); sys.exit('last words')"
    killed = "import os; os.kill(os.getpid(), 9)"
    runs = [planned("a", failing), planned("b", killed), planned("c", SAY.format("{}"))]
    a, b, c = run_set(runs, processes(1, 3), nobody)
    assert (a.code, a.complaint, a.result) == (1, "last words", None)
    assert (b.code, b.complaint) == (-9, "")
    assert (c.code, c.result) == (0, {})


@pytest.mark.parametrize("parallel", [1, 2])
def test_no_more_play_at_once_than_asked_for(parallel: int, tmp_path: Path) -> None:
    """Each process marks its place, counts all that are marked, and unmarks it."""
    program = (
        "import os, pathlib, sys\n"
        f"here = pathlib.Path({str(tmp_path)!r})\n"
        "mine = here / str(os.getpid())\n"
        "mine.touch()\n"
        "most = max(len(list(here.iterdir())) for _ in range(200))\n"
        "mine.unlink()\n"
        "print(most)\n"
    )
    runs = [planned(str(number), program) for number in range(4)]
    assert all(o.result <= parallel for o in run_set(runs, processes(parallel, len(runs)), nobody))


def test_a_flood_of_complaints_is_cut_to_its_end() -> None:
    program = "import sys; sys.stderr.write('x' * 10**6 + '\\nthe end\\n'); sys.exit(3)"
    (outcome,) = run_set([planned("loud", program)], processes(1, 3), nobody)
    assert (outcome.code, outcome.complaint) == (3, "the end")


@pytest.mark.long
@pytest.mark.parametrize(("parallel", "count", "window"), [(1, 3, 8), (2, 3, 4), (9, 3, 2)])
def test_runs_that_play_together_share_the_window_of_a_provider(
    parallel: int, count: int, window: int
) -> None:
    program = (
        "from hyperspace.models.policy.traffic import traffic_to\n"
        "print(int(traffic_to('openai', 'http://127.0.0.1:9').limiter.window))\n"
    )
    runs = [planned(str(number), program) for number in range(count)]
    outcomes = run_set(runs, processes(parallel, count), nobody)
    assert [outcome.result for outcome in outcomes] == [window] * count
