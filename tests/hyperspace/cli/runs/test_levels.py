"""`--level loop` and `--level feedback`: whole runs, what models are told, killed, replayed."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, finished, hyperspace, kill_at
from tests.support.runs.solos import Solo

pytestmark = pytest.mark.long

TASK = ("--domain", "repo_quality", "--model", "offline/heeding?trials=12")
LOOP = ("--level", "loop", *TASK)
FEEDBACK = ("--level", "feedback", "--reviewer", "offline/reviewer", *TASK)


def command(results: Path, *options: str, tries: int = 4) -> tuple[str, ...]:
    return ("solo", *options, "--generations", str(tries), "--results", str(results))


def level(results: Path, *options: str, tries: int = 4) -> Solo:
    done = hyperspace(*command(results, *options, tries=tries), "--json")
    finished(done)
    result = json.loads(done.stdout)
    return Solo(Path(result["run"]), result)


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Solo:
    return level(tmp_path_factory.mktemp("loop"), *LOOP)


@pytest.fixture(scope="module")
def feedback(tmp_path_factory: pytest.TempPathFactory) -> Solo:
    return level(tmp_path_factory.mktemp("feedback"), *FEEDBACK, tries=5)


def tries(run: Solo) -> range:
    return range(1, run.summary["max_generations"] + 1)


def instruction(run: Solo, generation: int) -> str:
    return next(c for c in run.calls(generation) if c["purpose"] == "modify")["messages"][0][
        "content"
    ]


def worker_messages(run: Solo, generation: int) -> str:
    calls = [call for call in run.calls(generation) if call["purpose"] == "modify"]
    return json.dumps([call["messages"] for call in calls])


@pytest.mark.parametrize("kind", ["loop", "feedback"])
def test_each_try_is_made_on_the_code_that_was_kept(
    kind: str, request: pytest.FixtureRequest
) -> None:
    run: Solo = request.getfixturevalue(kind)
    kept = 0
    for number in tries(run):
        told = run.metadata(number)
        assert told["parent"] == kept
        assert f"```python\n{run.code(kept, 'task_agent.py')}" in instruction(run, number)
        before = run.metadata(kept)["val_score"], -len(run.code(kept, "task_agent.py"))
        after = told["val_score"], -len(run.code(number, "task_agent.py"))
        if told["valid"] and after > before:
            kept = number
        assert run.code(number, "meta_agent.py") == run.code(0, "meta_agent.py")
    assert run.summary["best_gen"] == kept


def test_a_worker_alone_is_told_the_task_its_code_and_the_last_try(loop: Solo) -> None:
    for number in tries(loop):
        told = instruction(loop, number)
        assert "# Task repo_quality" in told
        assert "Its validation score is" in told
        assert ("The last try scored" in told) is (number > 1)
        assert "dvice" not in told
        assert {call["purpose"] for call in loop.calls(number)} == {"modify"}


def test_a_reviewed_worker_sees_no_history_and_the_latest_two_pieces_of_advice(
    feedback: Solo,
) -> None:
    advice = {number: feedback.metadata(number).get("advice") for number in tries(feedback)}
    assert all(advice.values())
    for number in tries(feedback):
        messages = worker_messages(feedback, number)
        parent = feedback.metadata(number)["parent"]
        shown = [n for n in (number - 2, number - 1) if n > 0]
        told = instruction(feedback, number)
        pieces = [json.loads(part.partition("```")[0]) for part in told.split("```json\n")[1:]]
        assert pieces == [advice[n] for n in shown]
        # Of the past there is nothing else: no older advice, no other code, no other try.
        for other in set(tries(feedback)) - {number, parent}:
            assert f"evals/gen_{other}/" not in messages
            assert f"evals/gen_{other}\\n" not in messages
        older = {advice[n]["fix"] for n in tries(feedback) if n < number - 2}
        for fix in older - {advice[n]["fix"] for n in shown}:
            assert fix not in messages
        assert "last try scored" not in told


def test_advice_reaches_the_next_try(feedback: Solo) -> None:
    for number in range(2, feedback.summary["max_generations"] + 1):
        fix = feedback.metadata(number - 1)["advice"]["fix"]
        assert json.dumps(fix) in instruction(feedback, number)


def test_a_reviewer_sees_the_whole_history(feedback: Solo) -> None:
    last = feedback.summary["max_generations"]
    (asked,) = [call for call in feedback.calls(last) if call["purpose"] == "review"]
    text = asked["messages"][0]["content"]
    lines = text.partition("```jsonl\n")[2].partition("```")[0].splitlines()
    told: list[Any] = [json.loads(line) for line in lines]
    assert [line["try"] for line in told] == list(range(last, -1, -1))
    assert [line["val_score"] for line in told] == [
        feedback.metadata(number)["val_score"] for number in range(last, -1, -1)
    ]
    assert told[0]["diff"].startswith("--- before") or told[0]["diff"] == ""
    assert {"id", "inputs", "label", "prediction"} == {*told[0]["failing"][0]}
    for line in told[1:-1]:
        assert line["advice"] == feedback.metadata(line["try"])["advice"]
        assert line["advice_followed"] in ("yes", "no", "unknown")


def test_what_is_hidden_from_a_worker_is_hidden_from_its_reviewer(tmp_path: Path) -> None:
    run = level(tmp_path, *FEEDBACK, "--visible", "train=scores,val=none", tries=1)
    text = run.calls(1)[-1]["messages"][0]["content"]
    told: list[Any] = [
        json.loads(line)
        for line in text.partition("```jsonl\n")[2].partition("```")[0].splitlines()
    ]
    for line in told:
        assert "train_score" in line
        assert "val_score" not in line
        assert not line.get("failing")
    assert "Its validation score" not in instruction(run, 1)


def test_the_reviewers_calls_are_in_the_ledger_and_in_the_audit(feedback: Solo) -> None:
    lines = (feedback.path / "ledger.jsonl").read_text().splitlines()
    settled = [line for line in map(json.loads, lines) if line["kind"] == "settled"]
    reviews = [line for line in settled if line["purpose"] == "review"]
    assert len(reviews) == feedback.summary["max_generations"]
    assert {line["model"] for line in reviews} == {"offline/reviewer"}
    assert hyperspace("audit", feedback.path).returncode == 0


@pytest.mark.parametrize("kind", ["loop", "feedback"])
def test_a_replay_ends_with_the_recorded_digest(kind: str, request: pytest.FixtureRequest) -> None:
    run: Solo = request.getfixturevalue(kind)
    done = hyperspace("replay", run.path, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["same"] is True


def test_killed_around_a_review_it_loses_nothing(feedback: Solo, tmp_path: Path) -> None:
    asked = command(tmp_path / "r", *FEEDBACK, tries=5)
    for position in ("heeding:3:publish", "heeding:3:commit", "heeding:4:look"):
        done = kill_at(tmp_path / "log", position, *asked)
        assert done.returncode == -signal.SIGKILL, done.stderr
    run = tmp_path / "r" / "repo_quality" / "repo_quality" / "feedback" / "seed42"
    done = hyperspace("resume", run)
    assert done.returncode == 0, done.stderr
    assert digest(run) == feedback.result["digest"]
    ledger = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    asked = [(n["generation"], n["purpose"]) for n in ledger if n["kind"] == "settled"]
    assert asked.count((3, "review")) == 1  # finished before the kill, and served afterwards


def test_a_reviewer_that_answers_prose_is_asked_once_more_and_then_left(tmp_path: Path) -> None:
    prose = ("--level", "feedback", "--reviewer", "offline/grader", *TASK)
    done = hyperspace(*command(tmp_path, *prose, tries=1))
    assert done.returncode == 0
    (said,) = [line for line in done.stderr.splitlines() if "no record" in line]
    assert "gen 1: offline/grader answered twice" in said
    assert "this try has none" in said
    run = Solo(tmp_path / "repo_quality" / "repo_quality" / "feedback" / "seed42", None)
    first, second = [call for call in run.calls(1) if call["purpose"] == "review"]
    assert (first["ordinal"], second["ordinal"]) == (0, 1)
    assert second["messages"][0]["content"].startswith(first["messages"][0]["content"])
    assert "advice" not in run.metadata(1)


def test_a_budget_of_calls_stops_a_level_and_a_higher_one_goes_on(
    loop: Solo, tmp_path: Path
) -> None:
    calls = sum(len(loop.calls(number)) for number in tries(loop))
    asked = (*command(tmp_path, *LOOP), "--max-calls")
    stopped = failed(hyperspace(*asked, str(calls - 2)), 1)
    assert f"--max-calls {calls - 2} is reached: {calls - 2} calls made, 0 reserved" in stopped
    done = hyperspace(*asked, str(calls), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == loop.result["digest"]


def test_level_hyperagent_is_arm_a(tmp_path: Path) -> None:
    model = ("--domain", "repo_quality", "--model", "offline/mutator?trials=4", "--no-controls")
    digests = [
        level(tmp_path / name, *options, *model, tries=1).result["digest"]
        for name, options in (("level", ("--level", "hyperagent")), ("arm", ("--arm", "a")))
    ]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--level", "lop"), "no value 'lop'"),
        (("--reviewer", "offline/reviewer"), "nobody is reviewed here; add --level feedback"),
        (("--level", "loop", "--reviewer", "offline/reviewer"), "add --level feedback"),
        (("--level", "feedback", "--max-calls", "1"), "is less than one round of level feedback"),
        (("--level", "loop", "--arm", "b"), "leave out --arm, or leave out --level"),
        (("--level", "loop", "--lanes", "2"), "--lanes 2 does not go with that"),
        (("--level", "feedback", "--optimise", "both"), "--optimise both does not go with that"),
        (("--level", "feedback", "--reviewer", "offline/nobody"), "offline policy is called"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    place = ("--domain", "repo_quality", "--no-controls", "--results", tmp_path / "r")
    done = hyperspace("solo", *options, *place)
    assert done.returncode == 2, done.stderr
    assert said in failed(done, 2)
    assert not (tmp_path / "r").exists()
