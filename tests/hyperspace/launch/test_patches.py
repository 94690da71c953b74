"""Unified diffs applied to code in memory."""

import difflib
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.launch.patches import (
    MOST_CHARACTERS,
    PatchRefused,
    apply_patch,
    file_as_folder,
)

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "é = 1\n"]), max_size=30)
ENDS = st.sampled_from(["", "last"])  # with and without a line feed at the end
CODE = {"f.py": "".join(f"line {n}\n" for n in range(20)), "g.py": "g\n"}
PATCH = """diff --git a/f.py b/f.py
--- a/f.py
+++ b/f.py
@@ -5,3 +5,4 @@ def some():
 line 4
-line 5
+LINE 5
+more
 line 6
"""


def anywhere(_path: str) -> str:
    return ""


def unified(old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), "a/f.py", "b/f.py"
    )
    return "".join(x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)


@given(LINES, LINES, ENDS, ENDS)
def test_the_difference_of_two_texts_makes_one_of_the_other(
    old: list[str], new: list[str], old_end: str, new_end: str
) -> None:
    before, after = "".join(old) + old_end, "".join(new) + new_end
    if before != after:
        assert apply_patch({"f.py": before}, unified(before, after), anywhere) == {"f.py": after}


@given(LINES, LINES)
def test_a_patch_and_its_reverse_cancel_each_other(old: list[str], new: list[str]) -> None:
    before, after = {"f.py": "".join(old)}, {"f.py": "".join(new)}
    if before != after:
        there = unified(before["f.py"], after["f.py"])
        back = unified(after["f.py"], before["f.py"])
        assert apply_patch(apply_patch(before, there, anywhere), back, anywhere) == before


def test_what_git_writes_is_applied_as_git_applies_it(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    git("init", "-q")
    for path, text in CODE.items():
        (tmp_path / path).write_text(text)
    git("add", ".")
    git("commit", "-qm", "before")
    changed = {
        "f.py": CODE["f.py"].replace("line 3\n", "").replace("line 17", "seventeen"),
        "new/h.py": "h = 1",
    }
    (tmp_path / "g.py").unlink()
    (tmp_path / "new").mkdir()
    for path, text in changed.items():
        (tmp_path / path).write_text(text)
    git("add", ".")
    assert apply_patch(CODE, git("diff", "--cached"), anywhere) == changed


def test_a_hunk_that_has_moved_is_found_at_the_nearest_place() -> None:
    moved = {"f.py": "new at the top\n" * 3 + CODE["f.py"]}
    patched = apply_patch(moved, PATCH, anywhere)["f.py"]
    assert patched == moved["f.py"].replace("line 5\n", "LINE 5\nmore\n")


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ("no diff at all\n", "holds no change"),
        (PATCH.replace(" line 4", " line IV"), r"f.py: hunk @@ -5,3 \+5,4 @@ does not fit"),
        (PATCH.replace("f.py", "x.py"), "x.py: there is no such file"),
        (PATCH.replace("--- a/f.py", "--- /dev/null"), "is there already"),
        (PATCH.replace("+++ b/f.py", "+++ b/g.py"), "renames"),
        (PATCH.removesuffix(" line 6\n"), "ends before its last line"),
        ("rename from f.py\nrename to h.py\n", "no change of text"),
        ("--- a/f.py\n+++ b/f.py\n", "no hunk follows"),
        (PATCH + "x" * MOST_CHARACTERS, "characters"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(patch: str, why: str) -> None:
    with pytest.raises(PatchRefused, match=why):
        apply_patch(CODE, patch, anywhere)


def test_a_file_outside_of_the_scope_is_refused_before_it_is_looked_at() -> None:
    def refusal(path: str) -> str:
        return "outside the edit scope" if path == "f.py" else ""

    with pytest.raises(PatchRefused, match=r"f\.py: outside the edit scope"):
        apply_patch(CODE, PATCH, refusal)


NUMBERS = st.integers(0, 40).map(str) | st.just("9" * 5_000) | st.just("-1")
LINES_OF_HUNKS = ["-a", "+a", " a", "-b", "+b", " b", "", "\\ No newline", "x"]


def written(numbers: list[str], lines: list[str]) -> str:
    at, old, to, new = numbers
    return "\n".join((f"@@ -{at},{old} +{to},{new} @@", *lines))


HUNKS = st.builds(
    written, st.lists(NUMBERS, min_size=4, max_size=4), st.lists(st.sampled_from(LINES_OF_HUNKS))
)
PIECES = HUNKS | st.sampled_from(
    [
        "--- a/x\n+++ b/x",
        "--- a/x\n+++ /dev/null",
        "--- /dev/null\n+++ b/x/y",
        "--- a/\ud800\n+++ b/",
    ]
)


@given(st.lists(PIECES, max_size=8).map("\n".join) | st.text())
def test_whatever_a_patch_says_it_is_applied_or_refused(patch: str) -> None:
    try:
        code = apply_patch({"x": "a\nb\n" * 5}, patch, lambda _path: "")
    except PatchRefused as refused:
        assert str(refused)
    else:
        assert not file_as_folder(code)


def test_a_patch_that_is_laborious_to_place_is_refused_at_once() -> None:
    """Each hunk of it fits in very many places but for its last line."""
    text = "a\n" * 30_000
    hunk = "@@ -1,2001 +1,2001 @@\n" + " a\n" * 2_000 + "-b\n+c\n"
    start = time.process_time()
    with pytest.raises(PatchRefused, match="takes too long to find"):
        apply_patch({"x": text}, "--- a/x\n+++ b/x\n" + hunk * 20, lambda _path: "")
    many = "--- a/x\n+++ b/x\n" + "@@ -1 +1 @@\n-a\n+b\n" * 1_001
    with pytest.raises(PatchRefused, match="more than 1000 hunks"):
        apply_patch({"x": text}, many, lambda _path: "")
    assert time.process_time() - start < 5.0


@given(st.lists(st.sampled_from("ab"), max_size=12), st.integers(1, 4), st.integers(0, 12))
def test_a_hunk_is_found_at_the_nearest_of_all_places(
    lines: list[str], size: int, start: int
) -> None:
    old = ["a", "b", "b", "a"][:size]
    places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == old]
    body = "".join(f"-{line}\n" for line in old)
    patch = f"--- a/x\n+++ b/x\n@@ -{start + 1},{size} +{start + 1},1 @@\n{body}+HERE\n"
    text = "".join(f"{line}\n" for line in lines)
    if not places:
        with pytest.raises(PatchRefused):
            apply_patch({"x": text}, patch, lambda _path: "")
        return
    found = apply_patch({"x": text}, patch, lambda _path: "")["x"].split("\n").index("HERE")
    assert found == min(places, key=lambda at: (abs(at - start), at))
