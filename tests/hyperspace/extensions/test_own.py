"""An extension of a person's own: what it may do, and that whatever else it does is refused."""

import json
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT
from tests.support.runs.copied import strangers

MODELS = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
EXAMPLE = ROOT / "docs" / "examples" / "extension.py"
FOUR = ("--generations", "4", "--seed", "5")
HEAD = """
    from hyperspace.kernel.generation.extension import Extension

    class Toy(Extension):
        name = "toy"
"""


def metadata(run: Path, agent: str, generation: int) -> Any:
    return json.loads((run / agent / f"gen_{generation}" / "metadata.json").read_text("utf-8"))


def contents(run: Path) -> dict[Path, bytes]:
    """All files of a run but the signatures, which a copy gets when it is found."""
    files = (path for path in run.rglob("*") if path.is_file() and path.suffix != ".sig")
    return {path: path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A pair with the example's extension, whose file is gone afterwards: result, and folder."""
    folder = tmp_path_factory.mktemp("journal")
    file = Path(shutil.copy(EXAMPLE, folder))
    name = "extension.py:Journal?every=2"
    done = hyperspace("pair", *MODELS, *FOUR, "--extension", name, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    file.unlink()
    return json.loads(done.stdout), folder


@pytest.mark.long
def test_it_chooses_parents_adds_files_and_keeps_a_record(journal: tuple[Any, Path]) -> None:
    result, folder = journal
    run = folder / result["run"]
    for agent in ("tinker", "magpie"):
        rows = [metadata(run, agent, generation) for generation in range(1, 5)]
        assert [row["journal"] for row in rows] == [
            {"back": row["generation"] - row["parent"], "chosen_here": row["generation"] % 2 == 0}
            for row in rows
        ]
    assert "journal" in (run / "tinker" / "gen_1" / "llm_calls.jsonl").read_text("utf-8")


@pytest.mark.long
def test_a_run_goes_on_and_is_replayed_without_the_file(journal: tuple[Any, Path]) -> None:
    result, folder = journal
    again = hyperspace("replay", result["run"], cwd=folder)
    assert f"digest {result['digest']}, as recorded" in again.stdout, again.stderr
    further = hyperspace("resume", result["run"], "--generations", "5", "--json", cwd=folder)
    assert further.returncode == 0, further.stderr
    assert "journal" in metadata(folder / result["run"], "tinker", 5)
    assert hyperspace("audit", result["run"], cwd=folder).returncode == 0


@pytest.mark.long
def test_a_file_that_is_lost_with_its_copy_is_named_and_the_run_is_not_touched(
    journal: tuple[Any, Path], tmp_path: Path
) -> None:
    result, folder = journal
    run = Path(shutil.copytree(folder / result["run"], tmp_path / "seed5"))
    shutil.rmtree(run / "extensions")
    before = contents(run)
    sentence = failed(hyperspace("resume", run, "--generations", "9", cwd=tmp_path), 2)
    assert f"there is no file {tmp_path}/extension.py, and {run}/extensions has no copy" in sentence
    assert contents(run) == before


@pytest.mark.long
def test_the_copy_in_a_run_of_somebody_else_is_not_imported(
    journal: tuple[Any, Path], tmp_path: Path
) -> None:
    result, folder = journal
    run = strangers(folder / result["run"], tmp_path / "seed5")
    (run / "extensions" / "0" / "extension.py").write_text("open('ran', 'w')", "utf-8")
    for command in (("replay", run), ("resume", run, "--trust", "--generations", "9")):
        assert "extension.py:Journal" in failed(hyperspace(*command, cwd=tmp_path), 2)
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def toy(tmp_path: Path) -> Callable[[str], list[str]]:
    """Writes an extension with one method, and returns how a pair has it."""

    def write(method: str) -> list[str]:
        text = textwrap.dedent(HEAD) + textwrap.indent(textwrap.dedent(method), "    ")
        (tmp_path / "toy.py").write_text(text, "utf-8")
        words = ["pair", *MODELS, "--generations", "1", "--extension", "toy.py:Toy"]
        return [*words, "--results", str(tmp_path / "results")]

    return write


WRONG = {
    "raises": (
        "def choose_parent(self, attempt, own, by_rule): return {}['x']",
        "choose_parent raised KeyError: 'x' (line ",
    ),
    "chooses what is not valid": (
        "def choose_parent(self, attempt, own, by_rule): return 7",
        "choose_parent chose 7, and valid are [0]",
    ),
    "chooses with another type": (
        "def choose_parent(self, attempt, own, by_rule): return True",
        "chose True, and valid are [0]",
    ),
    "answers no files": (
        "def workspace_files(self, attempt, candidate, own): return ['a']",
        "workspace_files answered ['a'], which maps no paths",
    ),
    "writes outside its folder": (
        "def workspace_files(self, attempt, candidate, own): return {'toy/../task_agent.py': b''}",
        "gave 'toy/../task_agent.py'; its files lie below toy/",
    ),
    "writes over the agent's code": (
        "def workspace_files(self, attempt, candidate, own): return {'task_agent.py': b''}",
        "its files lie below toy/",
    ),
    "writes what is no text": (
        "async def workspace_files(self, attempt, candidate, own): return {'toy/a': 3}",
        "gave no text as toy/a",
    ),
    "changes code on the side": (
        "def before_close(self, attempt, candidate, own): candidate.code['task_agent.py'] = ''",
        "before_close changed code, which is not its own",
    ),
    "improves a score": (
        "def before_close(self, attempt, candidate, own): candidate.splits.clear()",
        "before_close changed splits, which is not its own",
    ),
    "takes a violation back": (
        "def before_close(self, attempt, candidate, own): candidate.violations = ('',)",
        "before_close changed violations, which is not its own",
    ),
    "writes in another part": (
        "def before_close(self, attempt, candidate, own): candidate.parts['levels'] = 1",
        "before_close changed parts, which is not its own",
    ),
    "records no JSON": (
        "def before_close(self, attempt, candidate, own): candidate.parts['toy'] = object()",
        "before_close recorded no JSON",
    ),
    "records too much": (
        "def before_close(self, attempt, candidate, own): candidate.parts['toy'] = 'x' * 99_999",
        "before_close recorded more than 64,000 bytes",
    ),
    "sets a fitness that is none": (
        "def before_close(self, attempt, candidate, own): candidate.fitness = 7.0",
        "before_close set fitness to 7.0; it is from 0 to 1",
    ),
    "judges with another type": (
        "async def judge(self, attempt, candidate): return 'good'",
        "judge answered 'good', which is neither True nor False",
    ),
    "makes what are no candidates": (
        "def make(self, attempt, visible, chosen): return []",
        "make answered [], which is no list of candidates",
    ),
    "has a name that is taken": ("name = 'splits'", "its name 'splits' is taken"),
    "has the name of one that comes along": ("name = 'arena'", "its name 'arena' is taken"),
    "has no name": ("name = ''", "set `name` in the class"),
    "cannot be made": ("def __init__(self, options): raise OSError('no')", "OSError: no"),
}


@pytest.mark.long
@pytest.mark.parametrize("case", WRONG)
def test_what_it_may_not_do_is_refused_by_name(
    case: str, toy: Callable[[str], list[str]], tmp_path: Path
) -> None:
    method, told = WRONG[case]
    words = toy(method)
    sentence = failed(hyperspace(*words, cwd=tmp_path), 2)
    assert "toy.py:Toy" in sentence
    assert told in sentence
    assert len(sentence.strip().splitlines()) == 1


@pytest.mark.long
def test_a_mended_extension_goes_on_and_the_edit_is_on_record(
    toy: Callable[[str], list[str]], tmp_path: Path
) -> None:
    words = toy("def before_close(self, attempt, candidate, own): 1 / candidate.generation")
    assert "ZeroDivisionError" in failed(hyperspace(*words, cwd=tmp_path), 2)
    words = toy("def before_close(self, attempt, candidate, own): candidate.parts['toy'] = [1]")
    done = hyperspace(*words, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = tmp_path / json.loads(done.stdout)["run"]
    assert metadata(run, "tinker", 0)["toy"] == [1]
    assert "the file of the extension toy.py:Toy was edited" in (run / "audit.jsonl").read_text()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nothing.py:Toy", "/nothing.py"),
        ("toy.py:Other", "toy.py defines no 'Other'; it defines"),
        ("toy.py:Extension", "its name '' is taken"),
        ("toy.py:number", "number is no subclass of"),
        ("toy.py:Toy?x=1", "no option 'x'; its options: every"),
        ("toy.py:Toy?every=often", "Expected `int`"),
        ("broken.py:Toy", "broken.py cannot be imported: SyntaxError"),
        ("toy", "names no class in a file; write FILE.py:NAME"),
    ],
)
def test_what_is_no_extension_is_refused_before_anything_is_made(
    name: str, told: str, tmp_path: Path
) -> None:
    text = "from msgspec import Struct\nnumber = 3\n" + textwrap.dedent(HEAD)
    options = "    class Options(Struct):\n        every: int = 1\n"
    (tmp_path / "toy.py").write_text(text + options, "utf-8")
    (tmp_path / "broken.py").write_text("def", "utf-8")
    words = ("pair", *MODELS, "--extension", name)
    assert told in failed(hyperspace(*words, cwd=tmp_path), 2)
    assert not (tmp_path / "results").exists()


def test_a_file_of_defaults_cannot_name_one(tmp_path: Path) -> None:
    (tmp_path / "hyperspace.toml").write_text("extension = ['toy.py:Toy']\n", "utf-8")
    assert "extension" in failed(hyperspace("pair", *MODELS, cwd=tmp_path), 2)
