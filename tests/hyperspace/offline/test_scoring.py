"""What a variant costs by a scorer, whatever the scorer or the agent does."""

import math
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.inside_programs import programs

FAILED = 1.25
ECHO = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        self.count = 0

    def forward(self, inputs):
        self.count += 1
        return str(inputs["x"]), []
"""
SCORE = "def score(inputs, prediction):\n    return float(prediction)"
ITEMS = [{"inputs": {"x": x / 10}} for x in range(6)]


def judge(folder: Path, score: str = SCORE, cpu_s: float = 60, items: Any = ITEMS) -> Any:
    (folder / "score.py").write_text(score)
    order = {"scorer": str(folder / "score.py"), "cpu_s": cpu_s, "seed": 1, "trials": 900}
    return programs().ScoredJudge(items, order)


def answering(body: str) -> str:
    return ECHO.replace('return str(inputs["x"]), []', body)


def test_an_item_costs_what_its_score_lacks_of_1(tmp_path: Path) -> None:
    judged = judge(tmp_path).measure(ECHO)
    assert sorted(judged.costs) == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert judged.loss == pytest.approx(0.75)


def test_a_score_above_1_costs_less_than_nothing(tmp_path: Path) -> None:
    assert judge(tmp_path).measure(answering("return '2.5', []")).loss == -1.5


@pytest.mark.parametrize(
    "score",
    [
        "raise ValueError",
        "raise SystemExit",
        "return float('nan')",
        "return float('inf')",
        "return 10 ** 5000",
        "return True",
        "return '0.5'",
        "return None",
        "return (0.5, 0.5)",
    ],
)
def test_what_is_no_score_is_a_failure(tmp_path: Path, score: str) -> None:
    assert judge(tmp_path, f"def score(i, p): {score}").measure(ECHO).loss == FAILED


def test_a_scorer_that_prints_is_not_heard(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loud = (
        "import os\ndef score(i, p):\n    print('RESULT {}')\n    os.write(1, b'x')\n    return 1"
    )
    assert judge(tmp_path, loud).measure(ECHO).loss == 0
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("body", ["return 5, []", "return None", "raise SystemExit", "exit()"])
def test_an_agent_that_does_not_answer_fails_its_items(tmp_path: Path, body: str) -> None:
    assert judge(tmp_path).measure(answering(body)).loss == FAILED


@pytest.mark.long
@pytest.mark.parametrize(
    "source",
    [
        answering("import os; os._exit(0)"),
        answering("while True: pass"),
        "class TaskAgent(",
        "while True: pass",
        "import nothing_like_this",
        ECHO.replace("TaskAgent", "Agent"),
    ],
)
def test_a_variant_that_ends_or_never_ends_is_out(tmp_path: Path, source: str) -> None:
    measured = judge(tmp_path)
    start = measured.measure(ECHO)
    measured.race.limits = [0.05] * len(ITEMS)
    assert measured.measure(source, start).loss == 2 * FAILED
    assert measured.measure(ECHO, start) == start


def test_an_agent_that_sleeps_for_ever_is_out(tmp_path: Path) -> None:
    measured = judge(tmp_path)
    start = measured.measure(ECHO)
    measured.race.limits = [0.02] * len(ITEMS)
    began = time.monotonic()
    assert measured.measure(answering("import time; time.sleep(99)"), start).loss == 2 * FAILED
    assert time.monotonic() - began < 20


def test_a_scorer_that_never_ends_puts_every_variant_out(tmp_path: Path) -> None:
    measured = judge(tmp_path, "def score(i, p):\n    while True: pass", cpu_s=0.2)
    assert measured.measure(ECHO).loss == 2 * FAILED


def test_a_scorer_may_say_how_long_an_item_may_take(tmp_path: Path) -> None:
    spin = answering("any(i < 0 for i in range(9_000_000)); return '1', []")
    assert judge(tmp_path, f"CPU_S = 0.02\n{SCORE}", items=ITEMS[:1]).measure(spin).loss > FAILED


def test_each_item_has_a_fresh_agent_and_inputs_of_its_own(tmp_path: Path) -> None:
    fresh = answering("inputs['x'] = inputs['x'] + self.count; return str(self.count), []")
    score = "def score(inputs, p): return 1.0 if p == '1' and inputs['x'] < 1 else 0.0"
    assert judge(tmp_path, score).measure(fresh).loss == 0


def test_an_episode_is_played_by_one_agent(tmp_path: Path) -> None:
    play = (
        "def play(inputs, agent):\n"
        "    return max(float(agent.forward({'x': 0})[0]) for _ in range(3)) / 3"
    )
    assert judge(tmp_path, play).measure(answering("return str(self.count), []")).loss == 0


def test_a_variant_that_is_far_behind_is_given_up_and_costs_more(tmp_path: Path) -> None:
    counting = f"def score(i, p):\n    open({str(tmp_path / 'n')!r}, 'a').write('.')\n    return "
    measured = judge(tmp_path, counting + "float(p)")
    start = measured.measure(answering("return '0.9', []"))
    (tmp_path / "n").write_text("")
    worse = measured.measure(answering("return '0.1', []"), start)
    assert worse.loss > start.loss
    assert len((tmp_path / "n").read_text()) == 1
    better = measured.measure(answering("return '0.91', []"), worse)
    assert better.loss == pytest.approx(0.09)
    assert len((tmp_path / "n").read_text()) == 1 + len(ITEMS)


def test_fewer_items_and_laps_are_used_where_the_start_takes_long(tmp_path: Path) -> None:
    slow = answering("sum(range(400_000)); return '0.5', []")
    items = [{"inputs": {"x": x}} for x in range(500)]
    quick = judge(tmp_path, items=items)
    quick.measure(ECHO)
    assert len(quick.items) == 200
    assert quick.race.laps == math.inf
    bound = judge(tmp_path, cpu_s=0.4, items=items)
    bound.measure(slow)
    assert len(bound.items) in (4, 8, 16)
    assert bound.race.laps in (1, 2, 4, 8, 16)


def test_a_variant_that_is_given_up_takes_its_share_of_a_lap(tmp_path: Path) -> None:
    measured = judge(tmp_path, items=[{"inputs": {"x": x}} for x in range(8)])
    start = measured.measure(answering("return '0.9', []"))
    measured.race.laps = 1
    for _ in range(7):
        assert measured.measure(answering("return '0.1', []"), start).loss < FAILED
    better = measured.measure(answering("return '0.91', []"), start)
    assert better.loss == pytest.approx(0.09)
    assert measured.measure(ECHO, start).loss == 2 * FAILED


def test_a_search_ends_with_its_time(tmp_path: Path) -> None:
    measured = judge(tmp_path, cpu_s=0.01)
    measured.measure(answering("sum(range(3_000_000)); return '0.5', []"))
    assert measured.measure(ECHO).loss == 2 * FAILED


def test_no_items_are_no_error(tmp_path: Path) -> None:
    empty = judge(tmp_path, items=[])
    assert empty.measure(ECHO).loss == empty.measure(ECHO).loss == 2 * FAILED
