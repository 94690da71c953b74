"""What each arm does differently, on small meta agents whose every step is known."""

from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace
from tests.support.runs.solos import Solo, solo
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

HEAD = """
import pathlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        root = pathlib.Path(repo_path)
        task = root / "task_agent.py"
"""
# Puts a meta agent in its own place that would do something else, and a module that would be
# imported in place of the standard library's; also code beside the two files, and a forged score.
SUCCESSOR = (
    HEAD
    + """
        task.write_text(task.read_text() + "# by the first\\n")
        own = root / "meta_agent.py"
        own.write_text(own.read_text().replace("by the " + "first", "by the second"))
        (root / "textwrap.py").write_text("raise SystemExit('not the standard library')")
        (root / "agent" / "extra.py").write_text("EXTRA = True\\n")
        (root / "evals" / "gen_0" / "metadata.json").write_text("{}")
        import textwrap
"""
)
# Leaves on record which generations it saw.
WITNESS = (
    HEAD
    + """
        seen = sorted(path.name for path in pathlib.Path(eval_path).glob("gen_*"))
        task.write_text(task.read_text() + f"# saw {' '.join(seen)}, {iterations_left} left\\n")
"""
)
# Changes the seed once; what was changed before it breaks.
ONCE = (
    HEAD
    + """
        text = task.read_text()
        task.write_text("broken(" if "# changed" in text else text + "# changed\\n")
"""
)


def starting(folder: Path, meta_agent: str) -> Path:
    folder.mkdir()
    (folder / "meta_agent.py").write_text(meta_agent)
    return folder


def witnessed(run: Solo) -> list[str]:
    """The last line of each generation's task agent."""
    last = run.result["max_generations"]
    return [run.code(number, "task_agent.py").splitlines()[-1] for number in range(1, last + 1)]


@needs_bubblewrap
def test_an_agent_alone_edits_all_of_itself_and_its_descendants_run_what_it_wrote(
    tmp_path: Path,
) -> None:
    meta = SUCCESSOR.replace("import textwrap", "").replace('(root / "textwrap.py")', "#")
    options = ("--selection", "latest", "--initial", starting(tmp_path / "i", meta))
    run = solo(tmp_path / "r", *options, iterations=2)
    assert witnessed(run) == ["# by the first", "# by the second"]
    assert run.code(1, "agent/extra.py") == "EXTRA = True\n"
    assert run.result["violations"] == 2  # the forged score, once a generation
    assert hyperspace("audit", run.path).returncode == 0


@needs_bubblewrap
def test_frozen_the_meta_agent_of_generation_0_runs_and_heirs_are_kept_as_data(
    tmp_path: Path,
) -> None:
    options = ("--freeze-meta", "--selection", "latest")
    start = starting(tmp_path / "i", SUCCESSOR)
    run = solo(tmp_path / "r", *options, "--initial", start, iterations=2)
    assert run.result["arm"] == "arm_freeze_latest"
    assert witnessed(run) == ["# by the first", "# by the first"]
    assert 'textwrap.py").write_text' in run.code(2, "meta_agent.py")
    assert "by the second" in run.code(2, "meta_agent.py")
    assert [run.metadata(number)["valid"] for number in range(3)] == [True] * 3
    assert hyperspace("replay", run.path).returncode == 0


@needs_bubblewrap
def test_the_full_arm_shows_its_archive(tmp_path: Path) -> None:
    options = ("--selection", "latest", "--initial", starting(tmp_path / "i", WITNESS))
    run = solo(tmp_path / "r", *options, iterations=3)
    assert witnessed(run) == [
        "# saw gen_0, 2 left",
        "# saw gen_0 gen_1, 1 left",
        "# saw gen_0 gen_1 gen_2, 0 left",
    ]


@needs_bubblewrap
@pytest.mark.parametrize(
    ("arm", "parents", "seen"),
    [
        ("no_archive", [0, 1, 2], ["gen_0", "gen_1", "gen_2"]),
        ("best_of_n", [0, 0, 0], ["gen_0", "gen_0", "gen_0"]),
    ],
)
def test_without_an_archive_only_the_parent_is_seen(
    arm: str, parents: list[int], seen: list[str], tmp_path: Path
) -> None:
    options = ("--arm", arm, "--initial", starting(tmp_path / "i", WITNESS))
    run = solo(tmp_path / "r", *options, iterations=3)
    assert run.result["arm"] == arm
    assert [run.metadata(number)["parent"] for number in (1, 2, 3)] == parents
    assert [line.split(",")[0] for line in witnessed(run)] == [f"# saw {one}" for one in seen]


@needs_bubblewrap
def test_in_a_tournament_the_better_is_kept_and_the_directed_one_wins_ties(tmp_path: Path) -> None:
    options = ("--annealing", "--annealing-p0", "1", "--annealing-decay", "1")
    start = ("--selection", "latest", "--initial", starting(tmp_path / "i", ONCE))
    run = solo(tmp_path / "r", *options, *start, iterations=2)
    tie, blind = run.metadata(1), run.metadata(2)
    assert tie["blind_score"] == tie["directed_score"] == tie["train_score"]
    assert (tie["tournament"], tie["winner"], tie["parent"]) == (True, "directed", 0)
    assert (blind["winner"], blind["directed_score"]) == ("blind", None)
    assert (blind["parent"], blind["forked_from"], blind["valid"]) == (1, 0, True)
    assert run.code(2, "task_agent.py", "directed") == "broken("
    assert run.code(2, "task_agent.py", "blind") == run.code(2, "task_agent.py")
    replayed = hyperspace("replay", run.path)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_selection_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    done = hyperspace(
        *("solo", "--domain", "repo_quality", "--selection", "fittest", "--results", tmp_path)
    )
    assert "score_child_prop:paper" in failed(done, 2)
    assert list(tmp_path.iterdir()) == []
