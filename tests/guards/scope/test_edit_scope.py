import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.scope.edit_scope import EditScope, fold, is_plain, matches_nothing
from guards.scope.globs import glob

PLAIN = ["a", "a/b.py", "a/b c.py", ".hidden", "ümlaut.py", "a..b"]
NOT_PLAIN = [
    *("", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\\b", "a\0", "a\nb"),
    *("a.", "a ", "a./b", "a\u200bb", "a\u202eb", "ﬁ.py", "u\u0308.py", "x" * 256, "\udcff"),
    "a/" * 600 + "a",
]


@pytest.mark.parametrize("path", PLAIN)
def test_plain_paths_pass(path: str) -> None:
    assert is_plain(path)


@pytest.mark.parametrize("path", NOT_PLAIN)
def test_paths_that_could_lead_elsewhere_are_never_permitted(path: str) -> None:
    assert not is_plain(path)
    assert not EditScope(("**",)).permits(path)


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("task_agent.py", "task_agent.py", "a/task_agent.py"),
        ("*.py", "a.py", "a/b.py"),
        ("**/*.py", "a/b/c.py", "a/b/c.txt"),
        ("**/*.py", "c.py", "c.pyc"),
        ("agent/", "agent/tools/x.py", "agents/x.py"),
        ("agent/**", "agent", "agentx"),
        ("a?.py", "ab.py", "a/.py"),
        ("a[b].py", "a[b].py", "ab.py"),
        ("a.py", "a.py", "axpy"),
    ],
)
def test_patterns(pattern: str, inside: str, outside: str) -> None:
    scope = EditScope((pattern,))
    assert scope.permits(inside)
    assert not scope.permits(outside)


@pytest.mark.parametrize("path", ["agent/x.py", "Agent/x.py", "AGENT/X.PY", "agent"])
def test_deny_beats_allow_in_every_spelling(path: str) -> None:
    assert not EditScope(("**",), ("agent/**",)).permits(path)


def test_allow_does_not_cover_other_spellings() -> None:
    assert not EditScope(("task_agent.py",)).permits("Task_Agent.py")


def test_refusal_tells_denied_from_outside() -> None:
    scope = EditScope(("a/**",), ("a/b",))
    assert "denied" in scope.refusal("a/b")
    assert "outside" in scope.refusal("c")
    assert scope.refusal("a/c") == ""


def test_fold_makes_spellings_equal() -> None:
    assert fold("Straße/A\u200bB. ") == fold("STRASSE/ab")


@given(st.text(max_size=12))
def test_a_path_and_its_folded_form_are_one_spelling(path: str) -> None:
    assert fold(fold(path)) == fold(path)


@given(st.lists(st.sampled_from([*"aA./\\ ", "..", "\u200b", "\uff41", "ß"]), max_size=8))
def test_no_spelling_gets_around_a_deny(parts: list[str]) -> None:
    path = "".join(parts)
    scope = EditScope(("**",), ("a/**",))
    if scope.permits(path):
        assert is_plain(path)
        assert fold(path).split("/")[0] != "a"


@pytest.mark.parametrize(
    "pattern", ["", "/", "/etc/*", "../x", "a/../b", "a//b", "./x", "a\\b", "x."]
)
def test_some_patterns_are_for_no_plain_path(pattern: str) -> None:
    assert matches_nothing(pattern)


_PARTS = st.lists(st.sampled_from(["*", "**", "?", "/", ".", "a", "b", "\u0301"]), max_size=8)


@given(_PARTS.map("".join), st.text("ab./\u0301", max_size=6).filter(is_plain))
def test_a_pattern_that_a_plain_path_matches_is_not_one_of_them(pattern: str, path: str) -> None:
    assert not (glob(pattern).matches(path) and matches_nothing(pattern))
