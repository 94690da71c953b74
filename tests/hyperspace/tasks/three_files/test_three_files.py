"""A folder of three files as a domain; its benchmark runs for real, in a process of its own."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import pytest

from hyperspace.tasks.base import Domain, DomainDataError, UnknownDomain
from hyperspace.tasks.contract import broken_promises
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Executed, Execution, VerifiedBySandbox
from hyperspace.tasks.three_files.domain import ThreeFilesDomain
from tests.support.sandboxes import EVERY_SANDBOX, META, job

NUMBERS = "def numbers():\n    return [{}]\n"


async def run_here(execution: Execution) -> Executed:
    """Run an execution without a sandbox: nothing of these tests is hostile."""
    (step,) = execution.steps
    with TemporaryDirectory() as name:
        for path, data in execution.files.items():
            (Path(name) / path).write_bytes(data)
        words = [sys.executable if word == "{python}" else word for word in step]
        done = await anyio.run_process(words, cwd=name, check=False)
    if done.returncode:
        return Executed("", done.stderr.decode().strip().splitlines()[-1])
    return Executed(done.stdout.decode())


def outcome(domain: Domain, solution: str) -> Outcome:
    assert isinstance(domain, VerifiedBySandbox)
    item = domain.items("train")[0]
    return anyio.run(domain.verify_in_sandbox, item, solution, run_here)


def published(domain: ThreeFilesDomain) -> Any:
    """The scorer that agents get, by itself."""
    space: dict[str, Any] = {"__name__": "score"}
    exec(domain.task_files()["score.py"], space)  # noqa: S102
    return space["score"]


def test_a_path_of_a_folder_is_a_domain_that_keeps_the_contract(folder: Path) -> None:
    domain = load(str(folder))
    assert isinstance(domain, ThreeFilesDomain)
    assert domain.name == "reach"
    assert domain.metric == "score by sum of squares (unsealed)"
    assert not domain.calls_model
    assert isinstance(domain, Limited)
    assert broken_promises(domain, load(str(folder))) == []


@pytest.mark.parametrize(
    ("solution", "score", "says"),
    [
        (NUMBERS.format("10, 10"), 1.0, "sum of squares is 200 (unsealed:"),
        (NUMBERS.format("1, 3"), 0.05, "sum of squares is 10 (unsealed:"),
        (NUMBERS.format("20, 0"), 2.0, "sum of squares is 400"),
        (NUMBERS.format("1e9"), 0.0, "printed no line sum of squares:VALUE"),
        ("numbers = 1 / 0", 0.0, "the benchmark failed: ZeroDivisionError"),
        ("", 0.0, "the benchmark failed: AttributeError"),
        ("import os; os._exit(0)", 0.0, "printed no line sum of squares:VALUE"),
        ("\ud800", 0.0, "the benchmark failed"),
        # What marks these scores: a solution can print the figure itself.
        ("print('sum of squares: 200', flush=True); import os; os._exit(0)", 1.0, "unsealed"),
    ],
)
def test_a_solution_scores_what_its_benchmark_prints(
    solution: str, score: float, says: str, folder: Path
) -> None:
    result = outcome(load(str(folder)), solution)
    assert result.score == pytest.approx(score)
    assert says in result.reason
    assert "\n" not in result.reason


def test_the_raw_figure_is_among_the_details(folder: Path) -> None:
    assert outcome(load(str(folder)), NUMBERS.format("5")).details == {"value": 25.0}


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
async def test_the_seed_answers_with_its_own_file_in_every_sandbox(
    sandbox: Any, folder: Path
) -> None:
    domain = load(str(folder))
    code = domain.seed_files()["task_agent.py"].decode()
    work = job(task=code, meta=META)
    item = domain.items("val")[0]
    async with sandbox.start(work) as running:
        assert (await running.request({"op": "gate"}, 20))["ok"]
        frame = {"op": "predict", "id": "x", "inputs": item.inputs, "model": "m"}
        assert await running.request(frame, 20) == {"id": "x", "prediction": code}


def test_the_seed_scores_as_the_first_solution_does(folder: Path) -> None:
    domain = load(str(folder))
    first = (folder / "initial_solution.py").read_text()
    seed = domain.seed_files()["task_agent.py"].decode()
    assert seed.startswith(first)
    assert outcome(domain, seed) == outcome(domain, first)
    assert outcome(domain, seed).score == pytest.approx(50 / 200)


@pytest.mark.parametrize(
    "solution", [NUMBERS.format("7, 1"), "1 / 0", "import os; os._exit(0)", NUMBERS.format("1e9")]
)
def test_the_published_scorer_agrees_with_the_host(solution: str, folder: Path) -> None:
    domain = load(str(folder))
    assert isinstance(domain, ThreeFilesDomain)
    assert published(domain)({}, solution) == outcome(domain, solution).score


def test_agents_are_told_the_prompt_the_figure_and_what_unsealed_means(folder: Path) -> None:
    domain = load(str(folder))
    assert isinstance(domain, ThreeFilesDomain)
    files = domain.task_files()
    readme = files["README.md"].decode()
    for text in ("see $HOME and {braces}", "`sum of squares:VALUE`", "200 is perfect", "unsealed"):
        assert text in readme
    assert files["benchmark.py"] == (folder / "benchmark.py").read_bytes()


def test_every_file_of_the_folder_decides_the_hash(folder: Path) -> None:
    hashes = {load(str(folder)).data_sha256}
    for name, old, new in (
        ("benchmark.py", "n * n", "n * n * n"),
        ("limits.py", "1_", "2_"),
        ("config.toml", "timeout = 5", "timeout = 6"),
        ("config.toml", "= 200", "= 300"),
    ):
        path = folder / name
        path.write_text(path.read_text().replace(old, new))
        hashes.add(load(str(folder)).data_sha256)
    assert len(hashes) == 5


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("config.toml", 'name = "reach"', "", "missing required field `name`; its fields are name"),
        ("config.toml", "timeout", "time_out", "unknown field `time_out`"),
        ("config.toml", '"reach"', '"Reach!"', "not of lower-case letters, digits and underscores"),
        ("config.toml", "timeout = 5", "timeout = nan", "the timeout nan is not above 0"),
        ("config.toml", "= 200", "= inf", "the perfect_score inf is not finite"),
        ("config.toml", '"sum of squares"', '"a:b"', "is no name on one line"),
        ("config.toml", "name", "= name", "config.toml: Invalid"),
        ("initial_solution.py", "def", "class TaskAgent: ...\ndef", "a class TaskAgent"),
        ("initial_solution.py", "def", "def def", "cannot be compiled"),
    ],
)
def test_a_folder_that_does_not_do_says_why_in_one_sentence(
    name: str, old: str, new: str, says: str, folder: Path
) -> None:
    path = folder / name
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DomainDataError) as error:
        load(str(folder))
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_files_options_and_data_are_refused(folder: Path) -> None:
    with pytest.raises(DomainDataError, match="unknown field `x`; options: none"):
        load(f"{folder}?x=1")
    with pytest.raises(DomainDataError, match="reads no folder"):
        load(str(folder), data=folder)
    (folder / "benchmark.py").unlink()
    with pytest.raises(DomainDataError, match=r"lacks benchmark\.py; a task in three files"):
        load(str(folder))
    with pytest.raises(UnknownDomain, match=r"the path of a folder with config\.toml"):
        load("no_such")
