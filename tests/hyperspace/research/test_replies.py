"""What models reply is read: the words, the diff, hunks that are counted wrongly."""

from pathlib import Path

import pytest

from hyperspace.research.jobs.candidate import apply_diff
from hyperspace.research.jobs.diffs import recounted
from hyperspace.research.loop.prompts import read_diff, read_idea, read_words
from tests.hyperspace.research.environments import MAIN, small

DIFF = "--- a/main.py\n+++ b/main.py\n@@ -1,3 +1,3 @@\n import json\n-value = 1\n+value = 2\n"


@pytest.mark.parametrize(
    ("reply", "diff"),
    [
        (f"```diff\n{DIFF}```", DIFF),
        (f"So:\n\n```diff title\n{DIFF}```\nDone.", DIFF),
        (f"```patch\n{DIFF}``` ", DIFF),
        (f"```diff\n{DIFF}", DIFF),
        (f"```diff\nfirst\n```\n```diff\n{DIFF}```", DIFF),
        (DIFF, ""),
        ("```python\nx = 1\n```", ""),
        ("", ""),
    ],
)
def test_the_last_block_marked_diff_counts(reply: str, diff: str) -> None:
    assert read_diff(reply) == diff


def test_words_are_cut_at_a_bound_and_are_text() -> None:
    assert read_idea(" why\n") == "why"
    assert len(read_idea("x" * 10_000)) == 4_000
    assert read_idea("a\ud800b") == "a?b"
    assert read_words(f"Another:\n```diff\n{DIFF}```\n") == "Another:"


@pytest.mark.parametrize("header", ["@@ -1,3 +1,3 @@", "@@ -1,9 +1,1 @@ def f():", "@@ -7 +7 @@"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_hunks_are_counted_by_their_lines(header: str, end: str, tmp_path: Path) -> None:
    environment = small(tmp_path)
    diff = DIFF.replace("@@ -1,3 +1,3 @@", header) + end
    files = apply_diff(environment, recounted(diff))
    assert files["main.py"].decode() == MAIN.replace("value = 1", "value = 2")


def test_several_files_and_removed_lines_that_look_like_headers_are_told_apart(
    tmp_path: Path,
) -> None:
    environment = small(tmp_path, {"repo/notes.sql": "-- one\n-- two\nend\n"})
    diff = (
        "--- a/notes.sql\n+++ b/notes.sql\n@@ -1,9 +1,9 @@\n--- one\n --  two\n"
        "--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-import json\n+import json as j\n"
    ).replace(" --  two", " -- two")
    files = apply_diff(environment, recounted(diff))
    assert files["notes.sql"] == b"-- two\nend\n"
    assert files["main.py"].startswith(b"import json as j\n")
