from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.runtime.agent.tools import load_tools, run_tool
from agents.runtime.agent.tools.editor import EditorTool
from agents.runtime.agent.tools.text import byte_lines, only_position

Edit = Callable[..., str]


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    monkeypatch.chdir(tmp_path)
    tool = EditorTool()

    def edit(command: str, path: str, **given: object) -> str:
        return tool.run({"command": command, "path": path, **given})

    return edit


def test_a_file_is_shown_with_line_numbers(edit: Edit) -> None:
    Path("f").write_text("a\n\tb\n")
    assert edit("view", "f") == "     1\ta\n     2\t\tb"


@pytest.mark.parametrize(("wanted", "shown"), [([2, 3], "23"), ([3, -1], "34"), ([4, 99], "4")])
def test_a_range_of_lines_can_be_shown(edit: Edit, wanted: list[int], shown: str) -> None:
    Path("f").write_text("1\n2\n3\n4\n")
    assert [line[-1] for line in edit("view", "f", view_range=wanted).splitlines()] == list(shown)


@pytest.mark.parametrize("wanted", [[0, 1], [5, 6], [3, 2], [1], [1, 2, 3], [-1, -1]])
def test_a_range_that_does_not_fit_is_told(edit: Edit, wanted: list[int]) -> None:
    Path("f").write_text("1\n2\n3\n4\n")
    assert edit("view", "f", view_range=wanted).startswith("Error: view_range")


def test_a_long_view_is_cut_at_ten_kilobytes_and_says_where(edit: Edit) -> None:
    Path("f").write_text("x" * 90 + "\n" + "y\n" * 3000)
    shown = edit("view", "f")
    assert len(shown) < 10_100
    assert shown.endswith("of 3001; view_range shows the rest ...]")


def test_one_line_that_is_too_long_is_shown_in_part(edit: Edit) -> None:
    Path("f").write_text("x" * 20_000)
    shown = edit("view", "f")
    assert shown.startswith("     1\txxx") and "[... cut in line 1 of 1;" in shown
    assert len(shown) < 10_100


def test_a_folder_is_shown_two_levels_deep_and_sorted(edit: Edit) -> None:
    for name in ("b/inner/deep.py", "b/z.py", "a.py", ".git/config", "__pycache__/x.pyc"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert edit("view", ".") == "./\n  a.py\n  b/\n    inner/\n    z.py"


def test_creating_writes_exactly_what_is_given(edit: Edit) -> None:
    text = "a\tb\r\n\n  c\u2028é"
    assert edit("create", "new/f", file_text=text) == "Created new/f (14 bytes)."
    assert Path("new/f").read_bytes() == text.encode()


def test_a_replacement_leaves_every_other_byte_alone(edit: Edit) -> None:
    Path("f").write_bytes(b"\xff\r\n\told\r\nend")
    told = edit("str_replace", "f", old_str="old", new_str="new\nline")
    assert Path("f").read_bytes() == b"\xff\r\n\tnew\nline\r\nend"
    assert told.startswith("Edited f:\n     1\t")


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("nope", "Error: old_str was not found in f; it must match exactly, spaces too."),
        ("ab", "Error: old_str is not unique in f: 3 matches, lines 1, 1, 2."),
        ("", "Error: old_str is empty."),
    ],
)
def test_what_does_not_match_exactly_once_is_not_replaced(edit: Edit, old: str, told: str) -> None:
    Path("f").write_text("abab\nab")
    assert edit("str_replace", "f", old_str=old, new_str="x") == told
    assert Path("f").read_text() == "abab\nab"


def test_overlapping_matches_are_not_unique(edit: Edit) -> None:
    Path("f").write_text("aaa")
    assert "2 matches" in edit("str_replace", "f", old_str="aa", new_str="")


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb", 2, "x", "a\nb\nx"),
        ("", 0, "x", "x"),
    ],
)
def test_inserted_lines_stand_alone(
    edit: Edit, before: str, line: int, text: str, after: str
) -> None:
    Path("f").write_text(before)
    edit("insert", "f", insert_line=line, new_str=text)
    assert Path("f").read_text() == after


def test_inserting_outside_of_the_file_is_told(edit: Edit) -> None:
    Path("f").write_text("a\n")
    told = edit("insert", "f", insert_line=2, new_str="x")
    assert told == "Error: insert_line 2 is outside of f: it has 1 lines."


def test_edits_are_taken_back_one_by_one_down_to_the_creation(edit: Edit) -> None:
    edit("create", "f", file_text="one")
    edit("str_replace", "./f", old_str="one", new_str="two")
    assert edit("undo_edit", "f") == "Took back the last edit of f."
    assert Path("f").read_text() == "one"
    assert edit("undo_edit", "f") == "Took back the creation of f."
    assert not Path("f").exists()
    assert edit("undo_edit", "f") == "Error: there is no edit of f to take back."


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": "view", "path": "nope"}, "nope cannot be used: No such file"),
        ({"command": "view", "path": "/dev/zero"}, "/dev/zero is not a regular file"),
        ({"command": "view", "path": "a\0b"}, "null"),
        ({"command": "create", "path": "f"}, "create needs file_text"),
        ({"command": "create", "path": ".", "file_text": ""}, "not a regular file"),
        ({"command": "create", "path": "f", "file_text": "\ud800"}, "surrogates"),
        ({"command": "zap", "path": "f"}, "there are: view, create, str_replace, insert"),
    ],
)
def test_what_cannot_be_done_is_told_and_not_raised(
    edit: Edit, given: dict[str, str], told: str
) -> None:
    answer = edit(**given)
    assert answer.startswith("Error: ") and told in answer


@given(st.binary(max_size=60).map(lambda raw: raw.replace(b"q", b"\n")))
def test_lines_join_to_the_content(content: bytes) -> None:
    assert b"".join(byte_lines(content)) == content


@given(st.text("ab\n", max_size=12), st.text("ab\n", min_size=1, max_size=3), st.text("ab\n"))
def test_a_part_that_occurs_once_is_found_where_it_is(head: str, part: str, tail: str) -> None:
    content = f"{head}<{part}>{tail}".encode()
    assert only_position(content, f"<{part}>".encode(), "f") == len(head)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("nope", "{}", "Error: there is no tool 'nope'; there are: bash, editor."),
        ("bash", "{", "Error: the arguments of bash are not JSON"),
        ("bash", "[" * 100_000, "Error: the arguments of bash are not JSON"),
        ("bash", "[]", "Error: the arguments of bash must be a JSON object."),
        ("bash", "", "Error: bash: 'command' is missing."),
        ("bash", '{"command": 1}', "Error: bash: 'command' must be of type string."),
        ("bash", '{"command": "", "x": 1}', "'x' is unknown, takes command"),
        ("editor", '{"command": "view", "path": ".", "view_range": ["1", 2]}', "of type array"),
        ("editor", '{"command": "insert", "path": ".", "insert_line": true}', "of type integer"),
    ],
)
def test_a_call_that_does_not_fit_its_tool_is_told(name: str, arguments: str, told: str) -> None:
    assert told in run_tool(load_tools(), name, arguments)


def test_arguments_that_are_null_count_as_not_given(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    arguments = f'{{"command": "view", "path": "{tmp_path}/f", "view_range": null}}'
    assert run_tool(load_tools(), "editor", arguments) == "     1\ta"


def test_tools_can_be_chosen_by_name() -> None:
    assert list(load_tools("all")) == ["bash", "editor"]
    assert list(load_tools(["editor"])) == ["editor"]
    assert load_tools([]) == {}
