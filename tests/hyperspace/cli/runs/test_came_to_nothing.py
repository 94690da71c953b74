"""Ways in which a run comes to nothing: each has its exit code, and a sentence with the cause."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.hyperspace.research.environments import write_small
from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.faulty_server import Prepared, faulty_server

pytestmark = [pytest.mark.long, needs_bubblewrap]

USAGE, NOTHING, DONE = 2, 1, 0
TASK: Final = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        {body}
"""
META: Final = """
from pathlib import Path

class MetaAgent:
    def __init__(self, model, **others):
        self.model = model

    def forward(self, repo_path, eval_path, iterations_left=None):
        {body}
"""
CHANGE: Final = "Path(repo_path, 'task_agent.py').write_text({text})"
DOMAIN: Final = '''
from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.shapes.outcome import Outcome

SEED = """{seed}"""

class Mine(GradedDomain):
    def verify(self, item, answer):
        return Outcome(1.0 if answer == "3" else 0.0, "three or not")

def mine(data, options):
    items = {{s: [Item(s + str(n), {{"n": n, "s": s}}) for n in range(3)] for s in SPLITS}}
    seed = {{"task_agent.py": SEED.encode()}}
    return Mine("mine", items, smoke_inputs={{"n": -1}}, seed_files=seed)
'''


def domain(folder: Path, body: str) -> str:
    """A task whose seed answers with some lines of code."""
    (folder / "own.py").write_text(DOMAIN.format(seed=TASK.format(body=body)))
    return f"{folder}/own.py:mine"


def solo(
    folder: Path, *words: str, model: str = "offline/tinker", task: str = "repo_quality"
) -> Any:
    """Play one agent for three generations."""
    return hyperspace(
        *("solo", "--model", model, "--domain", task, "--iterations", "3", "--no-controls"),
        *words,
        *("--results", folder / "results"),
    )


def initial(folder: Path, **files: str) -> tuple[str, str]:
    """Options that start from some files."""
    code = folder / "initial"
    code.mkdir()
    for name, text in files.items():
        (code / f"{name}.py").write_text(text)
    return "--initial", str(code)


@pytest.mark.parametrize(
    ("task", "cause"),
    [
        ("class TaskAgent(:", "compile gate: "),
        ("import nowhere_to_be_found", "import gate: .*nowhere_to_be_found"),
        ("raise SystemExit(3)", "import gate: "),
        ("def forward(inputs):\n    return '3'", "signature gate: "),
        (
            TASK.format(body="raise KeyError('of the smoke item')"),
            "smoke gate: .*of the smoke item",
        ),
        (TASK.format(body="import os; os._exit(9)"), "smoke gate: "),
    ],
)
def test_first_code_that_fails_a_gate_ends_the_run_at_once(
    tmp_path: Path, task: str, cause: str
) -> None:
    for _ in range(2):  # the same command says the same again
        done = solo(tmp_path, *(initial(tmp_path, task_agent=task) if _ == 0 else again(tmp_path)))
        assert done.returncode == USAGE, done.stderr
        last = done.stderr.splitlines()[-1]
        assert re.search(f"the code that tinker starts from does not work: {cause}", last), last
        assert "gen 1/3" not in done.stderr


def again(folder: Path) -> tuple[str, str]:
    return "--initial", str(folder / "initial")


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (
            "if inputs['n'] >= 0: raise ValueError('never seen')\n        return '3', []",
            "every item of train ended with an error; 3 of 3 items: .*never seen",
        ),
        (
            "return ('3' if inputs['n'] < 0 else None), []",
            "every item of train ended with an error; ",
        ),
        (
            "import os\n        if inputs['n'] >= 0: os._exit(7)\n        return '3', []",
            "the task agent ended 3 times on train",
        ),
    ],
)
def test_first_code_whose_evaluation_is_nothing_but_errors_ends_the_run_and_the_check(
    tmp_path: Path, body: str, cause: str
) -> None:
    task = domain(tmp_path, body)
    done = solo(tmp_path, task=task)
    assert done.returncode == USAGE, done.stderr
    assert re.search(cause, done.stderr.splitlines()[-1]), done.stderr
    checked = hyperspace("domains", task, "--check")
    assert checked.returncode == NOTHING, checked.stdout
    assert re.search("ends? with an error|cannot be evaluated", checked.stdout + checked.stderr)


@pytest.mark.parametrize(
    ("benchmark", "cause"),
    [
        ("raise RuntimeError('no such weights')", "the benchmark failed: "),
        ("print('nothing to see')", "the benchmark printed no line value:VALUE"),
    ],
)
def test_a_benchmark_that_gives_no_figure_for_its_own_solution_ends_the_run(
    tmp_path: Path, benchmark: str, cause: str
) -> None:
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'name = "bench"\nmetric = "value"\nperfect_score = 1.0\nprompt = "raise the value"\n'
    )
    (folder / "initial_solution.py").write_text("VALUE = 0.5\n")
    (folder / "benchmark.py").write_text(benchmark + "\n")
    done = solo(tmp_path, "--experiment", "bench", task=str(folder))
    assert done.returncode == USAGE, done.stderr
    assert cause in done.stderr.splitlines()[-1]


def test_a_seed_that_is_worth_nothing_is_no_error(tmp_path: Path) -> None:
    done = solo(tmp_path, task=domain(tmp_path, "return '4', []"))
    assert done.returncode in (DONE, NOTHING), done.stderr
    assert "does not work" not in done.stderr


META_WAYS: Final = {
    "return None": ("asked_nothing", "asked the model nothing and changed nothing"),
    "raise RuntimeError('lost my way')": ("meta", "lost my way"),
    CHANGE.format(text="'class ('"): ("gate", "compile gate"),
    CHANGE.format(text="'import nowhere'"): ("gate", "import gate"),
    "raise SystemExit(4)": ("meta", "ended with an error of the meta agent"),
}


@pytest.mark.parametrize("body", META_WAYS)
def test_a_meta_agent_that_makes_nothing_valid_is_told_with_its_cause(
    tmp_path: Path, body: str
) -> None:
    cause, told = META_WAYS[body]
    done = solo(tmp_path, *initial(tmp_path, meta_agent=META.format(body=body)), "--json")
    (said,) = came_to_nothing(done, told).values()
    assert (said["cause"], said["count"], said["generations"]) == (cause, 3, 3)


@pytest.mark.parametrize("policy", ["stuck", "idler", "doomloop"])
def test_policies_that_change_nothing_are_no_success(tmp_path: Path, policy: str) -> None:
    done = solo(tmp_path, "--json", model=f"offline/{policy}")
    (said,) = came_to_nothing(done, "changed nothing").values()
    assert (said["cause"], said["changed"]) == ("unchanged", 0)


def test_code_that_is_perfect_from_the_beginning_is_told_as_that(tmp_path: Path) -> None:
    done = solo(tmp_path, "--json", task=domain(tmp_path, "return '3', []"))
    (said,) = came_to_nothing(done, "play a harder task").values()
    assert said["cause"] == "perfect"


def reply(text: str, finish: str = "stop", **message: Any) -> Prepared:
    content = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": content, "finish_reason": finish}
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return Prepared(200, json.dumps({**body, "choices": [choice], "usage": usage}).encode())


REPLIES: Final = {
    "text": (
        reply("I would first look at\nthe code."),
        "no_call",
        "I would first look at the code.",
    ),
    "empty": (reply(""), "no_call", ""),
    "code": (reply("Here:\n```python\nnonsense(\n```"), "not_kept", "```python"),
    "markup": (reply("<b>\x1b[31mdone</b>"), "no_call", "done"),
    "long": (reply("and on " * 400), "no_call", "and on and on"),
    "cut off": (reply("Let me", "length"), "cut_off", "Let me"),
}


@pytest.mark.parametrize("way", REPLIES)
def test_a_model_that_calls_no_tool_is_quoted_live_and_at_the_end(tmp_path: Path, way: str) -> None:
    prepared, cause, quoted = REPLIES[way]
    with faulty_server(prepared) as server:
        done = solo(tmp_path, "--json", model=f"m@{server.url}?stream=off")
    said = came_to_nothing(done, "3 of 3 generations")["m"]
    assert said["cause"] == cause, said
    assert quoted in said["example"]
    assert len(said["example"]) <= 200
    assert "\x1b" not in done.stderr
    assert done.stderr.index("m: 2 of 2 generations") < done.stderr.index("m gen 3/3")
    again = hyperspace("resume", json.loads(done.stdout)["run"], "--json")  # the server is gone
    assert again.returncode == NOTHING
    assert came_to_nothing(again, "3 of 3 generations")["m"] == said


def test_a_model_that_says_nothing_is_told_as_that(tmp_path: Path) -> None:
    with faulty_server(reply("")) as server:
        done = solo(tmp_path, model=f"m@{server.url}?stream=off")
    assert "3 of 3 generations called no tool and said nothing; try" in done.stderr


def test_a_model_that_refuses_everything_pauses_the_run_with_its_words(tmp_path: Path) -> None:
    refusal = Prepared(
        400, b'{"error": {"message": "this prompt is not for me", "code": "policy"}}'
    )
    with faulty_server(refusal) as server:
        done = solo(tmp_path, model=f"m@{server.url}?stream=off")
    assert done.returncode == NOTHING
    assert "this prompt is not for me" in done.stderr.splitlines()[-1]


def came_to_nothing(done: Any, told: str) -> dict[str, Any]:
    """What is on record of the agents of a run that must have come to nothing."""
    assert done.returncode == NOTHING, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("hyperspace: ") and "came to nothing" in last
    assert told in last, last
    result = json.loads(done.stdout)
    assert result["came_to_nothing"] is True
    nothing: dict[str, Any] = result["nothing"]
    assert json.loads((Path(result["run"]) / "summary.json").read_bytes())["nothing"] == nothing
    return nothing


def test_a_pair_of_which_one_came_to_something_is_a_success_with_a_warning(tmp_path: Path) -> None:
    done = hyperspace(
        *("pair", "--models", "offline/tinker", "offline/stuck", "--domain", "repo_quality"),
        *("--generations", "3", "--results", tmp_path, "--json"),
    )
    assert done.returncode == DONE, done.stderr
    result = json.loads(done.stdout)
    assert [*result["nothing"]] == ["stuck"]
    assert "came_to_nothing" not in result
    assert "hyperspace: stuck came to nothing: 3 of 3 generations" in done.stderr


def test_patience_ends_a_run_that_comes_to_nothing(tmp_path: Path) -> None:
    done = solo(tmp_path, "--patience", "2", "--json", model="offline/stuck")
    (said,) = came_to_nothing(done, "2 of 2 generations").values()
    assert said["generations"] == 2
    assert json.loads(done.stdout)["ended"]["reason"] == "patience"


def test_a_set_is_a_success_if_one_of_its_runs_is(tmp_path: Path) -> None:
    command = ("solo", "--domain", "repo_quality", "--iterations", "1", "--results", tmp_path)
    done = hyperspace(*command, "--model", "offline/stuck", "--controls", "--json")
    assert done.returncode == NOTHING, done.stderr
    assert "3 of 3 finished runs came to nothing" in done.stderr
    assert json.loads(done.stdout)["failed"] == []


OUTSIDE: Final = "Path(repo_path, 'evals', 'mine.txt').write_text('all of it right')"
DYING: Final = TASK.format(body="import os; return ('4', []) if inputs['n'] < 0 else os._exit(7)")


def test_what_is_put_back_is_named_as_that(tmp_path: Path) -> None:
    done = solo(tmp_path, *initial(tmp_path, meta_agent=META.format(body=OUTSIDE)), "--json")
    (said,) = came_to_nothing(done, "changed what it may not, which was put back").values()
    assert (said["cause"], said["count"], said["changed"]) == ("put_back", 3, 0)
    audited = hyperspace("audit", json.loads(done.stdout)["run"])  # as the message advises
    assert "evals/mine.txt" in audited.stdout


def test_code_that_passes_the_gates_and_ends_its_evaluation_is_named_as_that(
    tmp_path: Path,
) -> None:
    meta = META.format(body=CHANGE.format(text=repr(DYING)))
    options = initial(tmp_path, meta_agent=meta)
    done = solo(tmp_path, *options, "--json", task=domain(tmp_path, "return '4', []"))
    (said,) = came_to_nothing(done, "failed in the evaluation").values()
    assert (said["cause"], said["count"], said["valid"]) == ("evaluation", 3, 0)
    assert "the task agent ended 3 times" in said["example"]


def test_a_budget_that_pays_no_try_is_named_as_that(tmp_path: Path) -> None:
    level = ("--level", "loop", "--budget", "1calls", "--json")
    words = ("solo", "--model", "offline/heeding?trials=4", "--domain", "repo_quality")
    done = hyperspace(*words, *level, "--no-controls", "--results", tmp_path)
    (said,) = came_to_nothing(done, "used up the budget of calls").values()
    assert (said["cause"], said["count"]) == ("budget", said["generations"])
    assert "the budget of 1 calls is spent" in said["example"]


@pytest.mark.parametrize("level", ["loop", "feedback", "hyperagent"])
def test_a_level_ends_with_the_exit_code_of_what_it_came_to(level: str, tmp_path: Path) -> None:
    def play(model: str) -> Any:
        words = ("solo", "--model", model, "--domain", "repo_quality", "--iterations", "2")
        reviewer = ("--reviewer", "offline/reviewer") if level == "feedback" else ()
        place = ("--no-controls", "--results", tmp_path / model.rpartition("/")[2], "--json")
        return hyperspace(*words, "--level", level, *reviewer, *place)

    (said,) = came_to_nothing(play("offline/stuck"), "2 of 2 generations").values()
    assert said["changed"] == 0
    done = play("offline/heeding?trials=4" if level != "hyperagent" else "offline/tinker")
    assert done.returncode == DONE, done.stderr
    assert "nothing" not in json.loads(done.stdout)


def test_an_arena_in_which_nobody_changes_anything_is_no_success(tmp_path: Path) -> None:
    size = ("--solvers", "2", "--testers", "1", "--rounds", "2", "--eval-samples", "10")
    words = ("arena", "--task", "email_validation", *size, "--results", tmp_path, "--json")
    done = hyperspace(*words, "--models", "offline/stuck", "--tester-models", "offline/stuck")
    nothing = came_to_nothing(done, "2 of 2 generations")
    assert len(nothing) == 3
    other = ("--results", tmp_path / "other", "--json")
    done = hyperspace(*words[:-3], *other, "--models", "offline/climber?trials=6")
    assert done.returncode == DONE, done.stderr
    assert "came_to_nothing" not in json.loads(done.stdout)


def test_a_research_run_whose_ideas_have_no_score_is_no_success(tmp_path: Path) -> None:
    env = write_small(tmp_path / "env")
    words = ("research", "--env", env, "--epochs", "1", "--ideas", "2", "--json")
    with faulty_server(reply("I would first look at the code.")) as server:
        model = f"m@{server.url}?stream=off"
        done = hyperspace(*words, "--models", model, "--results", tmp_path / "nothing")
        resumed = hyperspace("resume", json.loads(done.stdout)["run"], "--json")
    for each in (done, resumed):
        assert each.returncode == NOTHING, each.stderr
        last = each.stderr.splitlines()[-1]
        assert "came to nothing: 2 of 2 ideas ended as refused: " in last
        assert json.loads(each.stdout)["came_to_nothing"] is True
    done = hyperspace(*words, "--models", "offline/ideator", "--results", tmp_path / "something")
    assert done.returncode == DONE, done.stderr
    assert "nothing" not in json.loads(done.stdout)
