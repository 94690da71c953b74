"""Folders of exercises with unit tests: three made here, laid out as Exercism's are."""

import json
from pathlib import Path

import msgspec
import pytest

from guards.sandboxes.choose import choose
from hyperspace.kernel.evaluation.scoring_sandbox import runner
from hyperspace.tasks.base import SPLITS, DomainDataError, Item
from hyperspace.tasks.polyglot.folder_domain import FolderPolyglot
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.outcome import Outcome

SANDBOX = choose("auto", needs_boundary=False).sandbox
TESTS = """\
import unittest

from {name} import value


class {name}Test(unittest.TestCase):
    def test_first(self):
        self.assertEqual(value(2), {factor} * 2)

    def test_second(self):
        self.assertEqual(value(-75314), {factor} * -75314)


if __name__ == "__main__":
    unittest.main()
"""
FACTORS = {"double": 2, "triple": 3, "fivefold": 5}


def write_exercise(practice: Path, name: str, factor: int, suffix: str = "py") -> Path:
    folder = practice / name
    for part in (".meta", ".docs"):
        (folder / part).mkdir(parents=True)
    files = {
        "solution": [f"{name}.{suffix}"],
        "test": [f"{name}_test.{suffix}"],
        "example": [f".meta/example.{suffix}"],
    }
    config = {"authors": ["someone"], "files": files, "blurb": "Multiply."}
    (folder / ".meta/config.json").write_text(json.dumps(config))
    (folder / ".docs/instructions.append.md").write_text("# More\n\nIt may be negative.\n")
    (folder / ".docs/instructions.md").write_text(f"# {name}\n\nMultiply by {factor}.\n")
    (folder / ".docs/introduction.md").write_text("# Numbers\n")
    (folder / f"{name}.{suffix}").write_text("def value(number):\n    pass\n")
    (folder / f"{name}_test.{suffix}").write_text(TESTS.format(name=name, factor=factor))
    (folder / f".meta/example.{suffix}").write_text(solution(factor))
    return folder


def solution(factor: int) -> str:
    return f"def value(number):\n    return {factor} * number\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, factor in FACTORS.items():
        write_exercise(tmp_path / "python/exercises/practice", name, factor)
        write_exercise(tmp_path / "javascript/exercises/practice", name, factor, "js")
    return tmp_path


def polyglot(root: Path, query: str = "") -> FolderPolyglot:
    domain = load(f"polyglot{query}", data=root)
    assert isinstance(domain, FolderPolyglot)
    return domain


def item_of(domain: FolderPolyglot, name: str) -> Item:
    items = [item for split in SPLITS for item in domain.items(split)]
    return next(item for item in items if f"# {name}" in item.inputs["problem_statement"])


async def verify(domain: FolderPolyglot, name: str, answer: str) -> Outcome:
    item = item_of(domain, name)
    return await domain.verify_in_sandbox(item, answer, runner(SANDBOX, "folder"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_agents_see_documents_and_stub_and_no_test_or_example(root: Path) -> None:
    domain = polyglot(root)
    statement = item_of(domain, "triple").inputs["problem_statement"]
    parts = ("file triple.py in python", "# Numbers", "Multiply by 3.", "negative", "    pass")
    places = [statement.index(part) for part in parts]
    assert places == sorted(places)
    everything = [list(domain.items(split)) for split in SPLITS]
    shown = msgspec.json.encode([everything, sorted(domain.task_files())]).decode()
    assert not any(word in shown for word in ("75314", "assertEqual", "* number"))


def test_an_exercise_is_in_one_split_that_the_seed_decides(root: Path) -> None:
    domain = polyglot(root)
    assert [len(domain.items(split)) for split in SPLITS] == [1, 1, 1]
    assert domain.data_sha256 == polyglot(root, "?rows_seed=1").data_sha256
    assert len({polyglot(root, f"?rows_seed={seed}").data_sha256 for seed in range(6)}) > 1


@pytest.mark.anyio
@pytest.mark.parametrize("name", FACTORS)
async def test_a_right_answer_has_all_unit_tests(root: Path, name: str) -> None:
    outcome = await verify(polyglot(root), name, solution(FACTORS[name]))
    assert (outcome.score, outcome.details) == (1.0, {"tests": 2, "run": 2, "wrong": 0})
    assert "unsealed" in outcome.reason
    assert "unsealed" in polyglot(root).metric


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "the answer is empty"),
        ("def value(number):\n    return 4\n", "not all unit tests are right"),
        ("def value(number):\n    raise ValueError('secret')\n", "not all unit tests are right"),
        ("import pytest\n", "not all unit tests are right"),
        ("import os\nos._exit(0)\n", "the tests did not come to their end"),
        ("raise SystemExit(0)\n", "the tests did not come to their end"),
        ("def value(", "command 1 of 1 ended with status 1"),
    ],
)
async def test_what_fails_says_how_and_not_in_its_own_words(
    root: Path, answer: str, reason: str
) -> None:
    outcome = await verify(polyglot(root), "double", answer)
    assert (outcome.score, outcome.reason) == (0.0, reason)


def test_languages_without_a_runner_are_refused(root: Path) -> None:
    with pytest.raises(DomainDataError, match=r"javascript \(its tests need jest\) cannot run"):
        polyglot(root, "?languages=python,javascript")
    with pytest.raises(DomainDataError, match=r"no folder .*/rust/exercises/practice; languages"):
        polyglot(root, "?languages=rust")
    with pytest.raises(DomainDataError, match="has no exercises; they are read from LANG"):
        polyglot(root / "python")


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("{", r"triple/.meta/config.json: Input data was truncated"),
        ("{}", r"triple/.meta/config.json: .* `files`"),
        ('{"files": {"solution": ["a.py"]}}', r"config.json: .* `test` - at `\$.files`"),
        ('{"files": {"solution": "a.py", "test": []}}', r"`\$.files.solution`"),
        ('{"files": {"solution": [], "test": ["t.py"]}}', "files.solution names 0 files"),
        ('{"files": {"solution": ["a.py"], "test": []}}', "files.test names no file"),
        ('{"files": {"solution": ["../a.py"], "test": ["t.py"]}}', r"files.solution has '../a.py'"),
        ('{"files": {"solution": ["a.py"], "test": ["t.py"]}}', r"/triple/t.py is missing"),
    ],
)
def test_errors_name_file_and_key(root: Path, config: str, says: str) -> None:
    path = root / "python/exercises/practice/triple/.meta/config.json"
    path.write_text(config)
    with pytest.raises(DomainDataError, match=says) as error:
        polyglot(root)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["import pytest\n", "def test(): pass\n", "def (\n"])
def test_tests_that_cannot_run_are_told_by_their_file(root: Path, text: str) -> None:
    (root / "python/exercises/practice/triple/triple_test.py").write_text(text)
    with pytest.raises(DomainDataError, match=r"triple/triple_test.py (has no tests|is no Python)"):
        polyglot(root)


def test_fewer_than_three_exercises_are_too_few(tmp_path: Path) -> None:
    write_exercise(tmp_path / "python/exercises/practice", "double", 2)
    with pytest.raises(DomainDataError, match="has 1 exercises that can run; three splits"):
        polyglot(tmp_path)
