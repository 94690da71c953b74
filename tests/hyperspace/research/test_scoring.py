"""A candidate becomes a score by two jobs; what goes wrong is a sentence."""

from pathlib import Path

import pytest

from hyperspace.research.jobs.scoring import score_candidate
from tests.hyperspace.research.environments import (
    CONFIG,
    MAIN,
    SANDBOX,
    executor_in,
    fit_line,
    replaced,
    scored,
    small,
)
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.anyio, needs_bubblewrap]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_candidate_is_scored_by_the_frozen_evaluation(tmp_path: Path) -> None:
    environment = small(tmp_path / "env")
    diff = replaced(environment, "main.py", "value = 1", "value = 3.00049\nprint('score 99')")
    result = await scored(environment, diff, tmp_path)
    assert (result.job.state, result.job.reason, result.job.score) == ("done", "", 3.0)
    assert result.job.log == "score 99\n"
    assert result.files == {"out.json": b'{"value": 3.00049}'}
    assert result.job.cpu_s > 0
    capped = replaced(environment, "main.py", "value = 1", "value = 7")
    assert (await scored(environment, capped, tmp_path)).job.score == 5


@pytest.mark.parametrize(
    ("main", "state", "told"),
    [
        ("raise SystemExit('no idea')", "failed", "ended with status 1"),
        ("pass", "failed", "it left no out.json"),
        ("open('out.json', 'w').write('{\"value\": NaN}')", "failed", "is not JSON"),
        ("open('out.json', 'w').write('{}')", "failed", "it ended with status 1"),
        (
            "open('out.json', 'w').write('{\"value\": \"1\"}')",
            "failed",
            "the evaluation cannot judge what it left",
        ),
        (
            "open('out.json', 'w').write('{\"value\": -1e999}')",
            "failed",
            "out.json that it left is not JSON",
        ),
    ],
)
async def test_what_cannot_be_scored_says_why(
    main: str, state: str, told: str, tmp_path: Path
) -> None:
    environment = small(tmp_path / "env", {"repo/main.py": main + "\n"})
    result = await scored(environment, "", tmp_path)
    assert (result.job.state, result.job.score) == (state, None)
    assert told in result.job.reason


async def test_what_an_evaluation_prints_is_told_people_alone(tmp_path: Path) -> None:
    judge = 'print("of people")\nraise KeyError(open("most.json").read())\n'
    files = {"sealed/judge.py": judge, "sealed/most.json": "SEALED"}
    environment = small(tmp_path / "env", files)
    result = await scored(environment, "", tmp_path)
    assert result.job.judged == "KeyError: 'SEALED'"
    assert "SEALED" not in result.job.reason + result.job.log


@pytest.mark.long
@pytest.mark.parametrize("said", ['{"score": NaN}', '{"score": true}', ""])
async def test_an_evaluation_must_give_a_finite_number(said: str, tmp_path: Path) -> None:
    environment = small(tmp_path / "env", {"sealed/judge.py": f"print({said!r})\n"})
    result = await scored(environment, "", tmp_path)
    assert (result.job.state, result.job.score) == ("failed", None)
    assert "gave no finite number 'score'" in result.job.reason


@pytest.mark.long
async def test_equal_candidates_are_one_job_also_for_a_later_coordinator(tmp_path: Path) -> None:
    text = MAIN.replace("value = 1", "import time; value = time.monotonic_ns() % 10**6 / 10**6")
    environment = small(tmp_path / "env", {"repo/main.py": text, "env.toml": CONFIG})
    first = await scored(environment, "", tmp_path)
    second = await scored(environment, "", tmp_path)
    assert first == second
    async with executor_in(tmp_path / "elsewhere") as executor:
        third = await score_candidate(environment, environment.files, executor, SANDBOX)
    assert third.files != first.files, "it was played again where it was not on record"


@pytest.mark.long
async def test_the_environment_in_the_box_has_a_score_and_can_be_improved(tmp_path: Path) -> None:
    environment = fit_line()
    before = await scored(environment, "", tmp_path)
    better = replaced(environment, "train.py", "CLIP = 50.0", "CLIP = 2.0")
    after = await scored(environment, better, tmp_path)
    assert before.job.score is not None
    assert after.job.score is not None
    assert environment.description.is_better(after.job.score, before.job.score)
    assert before.job.log.startswith("update 0: loss")
