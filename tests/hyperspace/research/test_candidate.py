"""A diff is applied to a repository, or is refused at a gate with a sentence."""

from pathlib import Path

import pytest

from hyperspace.research.environments.repository import Environment
from hyperspace.research.errors import DiffRefused
from hyperspace.research.jobs.candidate import apply_diff
from tests.hyperspace.research.environments import CONFIG, MAIN, diff_of, replaced, small


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return small(tmp_path, {"repo/sub/extra.py": "x = 1\n"})


def refused(environment: Environment, diff: str) -> DiffRefused:
    with pytest.raises(DiffRefused) as refusal:
        apply_diff(environment, diff)
    return refusal.value


def test_a_diff_changes_adds_and_deletes(environment: Environment) -> None:
    changes = {"main.py": MAIN.replace("1", "2"), "new.py": "y = 1\n", "sub/extra.py": None}
    files = apply_diff(environment, diff_of(environment, changes))
    assert files["main.py"] == MAIN.replace("1", "2").encode()
    assert files.keys() == {"main.py", "new.py", "rules.py"}
    assert environment.files["main.py"] == MAIN.encode(), "the environment stays as it is"


@pytest.mark.parametrize(
    ("changes", "gate"),
    [
        ({"rules.py": "MOST = 50\n"}, "frozen"),
        ({"rules.py": None}, "frozen"),
        ({"out.json": '{"value": 5}\n'}, "frozen"),
        ({"RULES.py": "MOST = 50\n"}, "frozen"),
        ({"../sealed/most.json": "50\n"}, "types"),
        ({"/etc/passwd": "x\n"}, "types"),
        ({"a\\b": "x\n"}, "types"),
        ({"new.py": "x = '\0'\n"}, "types"),
        ({"new.py": "x = 1\n" * 30_000}, "size"),
        ({f"new{n}.py": "x = 1\n" for n in range(65)}, "size"),
    ],
)
def test_what_no_diff_may_touch(
    environment: Environment, changes: dict[str, str | None], gate: str
) -> None:
    assert refused(environment, diff_of(environment, changes)).gate == gate


def test_links_are_refused_by_the_mode_of_the_file(environment: Environment) -> None:
    link = (
        "diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n"
        "@@ -0,0 +1 @@\n+../sealed\n\\ No newline at end of file\n"
    )
    assert refused(environment, link).gate == "links"
    assert refused(environment, link.replace("120000", "160000")).gate == "links"
    assert apply_diff(environment, link.replace("120000", "100644"))["out"] == b"../sealed"


@pytest.mark.parametrize(
    "diff",
    ["", "make it better", "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-no such line\n+x\n"],
)
def test_what_does_not_apply_says_why(environment: Environment, diff: str) -> None:
    refusal = refused(environment, diff)
    assert refusal.gate == "apply"
    assert "does not apply" in str(refusal)


def test_a_diff_that_changes_nothing_is_refused(environment: Environment) -> None:
    diff = "--- a/main.py\n+++ b/main.py\n@@ -2 +2 @@\n-value = 1\n+value = 1\n"
    assert "changes nothing" in str(refused(environment, diff))


def test_files_that_are_no_text_stay(tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "image.bin").write_bytes(b"\xff\xfe")
    environment = small(tmp_path, {"env.toml": CONFIG})
    files = apply_diff(environment, replaced(environment, "main.py", "value = 1", "value = 2"))
    assert files["image.bin"] == b"\xff\xfe"
    assert refused(environment, diff_of(environment, {"image.bin": "x\n"})).gate == "types"


@pytest.mark.parametrize("inner", ["main.py/x", "main.py/x/y"])
def test_a_file_below_a_file_is_the_fault_of_the_diff(environment: Environment, inner: str) -> None:
    diff = f"--- /dev/null\n+++ b/{inner}\n@@ -0,0 +1 @@\n+x\n"
    with pytest.raises(DiffRefused, match="is a file, not a folder"):
        apply_diff(environment, diff)


def test_text_that_utf_8_cannot_carry_is_refused(environment: Environment) -> None:
    diff = "--- /dev/null\n+++ b/more.py\n@@ -0,0 +1 @@\n+x = '\ud800'\n"
    with pytest.raises(DiffRefused, match="UTF-8"):
        apply_diff(environment, diff)
