import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest, IngestLimits, WorkspaceChange, ingest

FILES = {
    "task_agent.py": b"one = 1\n",
    "meta_agent.py": b"two = 2\n",
    "agent/tools.py": b"frozen = True\n",
    "evals/train.jsonl": b"{}\n",
}
SCOPE = EditScope(("task_agent.py", "meta_agent.py"))
WIDE = EditScope(("**",), ("evals/**",))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    os.umask(0o022)
    for path, content in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    return tmp_path


def take(workspace: Path, scope: EditScope = SCOPE, limits: IngestLimits | None = None) -> Ingest:
    folder = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return ingest(folder, FILES, scope, limits)
    finally:
        os.close(folder)


def only(result: Ingest) -> WorkspaceChange:
    assert len(result.changes) == 1, result.changes
    return result.changes[0]


def in_scope() -> dict[str, bytes]:
    return {path: FILES[path] for path in SCOPE.allow}


def test_untouched_workspace_yields_its_code_and_no_change(workspace: Path) -> None:
    assert take(workspace) == Ingest(in_scope(), ())


def test_edit_inside_the_scope_is_taken_over_with_a_diff(workspace: Path) -> None:
    (workspace / "task_agent.py").write_text("one = 11\n")
    result = take(workspace)
    assert result.files["task_agent.py"] == b"one = 11\n"
    assert only(result).verdict == "accepted"
    assert "-one = 1\n+one = 11" in only(result).diff
    assert only(result).sha256_before != only(result).sha256_after


def test_deletion_inside_the_scope_is_taken_over(workspace: Path) -> None:
    (workspace / "meta_agent.py").unlink()
    result = take(workspace)
    assert set(result.files) == {"task_agent.py"}
    assert (only(result).kind, only(result).verdict) == ("deleted", "accepted")


def test_new_file_inside_a_wide_scope_is_taken_over(workspace: Path) -> None:
    (workspace / "notes/more").mkdir(parents=True)
    (workspace / "notes/more/a.py").write_text("a = 1\n")
    result = take(workspace, WIDE)
    assert result.files["notes/more/a.py"] == b"a = 1\n"
    assert only(result).verdict == "accepted"


def write(path: str, content: bytes = b"x\n") -> Callable[[Path], None]:
    def apply(workspace: Path) -> None:
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_bytes(content)

    return apply


def link_to_secret(workspace: Path) -> None:
    (workspace / "task_agent.py").unlink()
    (workspace / "task_agent.py").symlink_to("/etc/hostname")


def folder_link(workspace: Path) -> None:
    (workspace / "agent").rename(workspace / "elsewhere")
    (workspace / "agent").symlink_to("elsewhere")


def socket_file(workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace / "s"))


def folder_for_file(workspace: Path) -> None:
    (workspace / "task_agent.py").unlink()
    (workspace / "task_agent.py").mkdir()


def sparse(workspace: Path) -> None:
    with (workspace / "task_agent.py").open("wb") as file:
        file.truncate(1 << 40)


def deep(workspace: Path) -> None:
    workspace.joinpath(*["d"] * 40).mkdir(parents=True)


HARM: dict[str, tuple[Callable[[Path], None], set[tuple[str, str]]]] = {
    "new file": (write("tool.py"), {("tool.py", "new")}),
    "changed runtime": (write("agent/tools.py"), {("agent/tools.py", "changed")}),
    "start-up file": (write("sitecustomize.py"), {("sitecustomize.py", "new")}),
    "case twin": (write("Task_agent.py"), {("Task_agent.py", "new")}),
    "unicode twin": (write("\uff54ask_agent.py"), {("\uff54ask_agent.py", "name")}),
    "trailing dot": (write("task_agent.py."), {("task_agent.py.", "name")}),
    "newline in a name": (write("task_agent.py\n"), {("task_agent.py\\n", "name")}),
    "symbolic link": (link_to_secret, {("task_agent.py", "link")}),
    "linked folder": (folder_link, {("agent", "link"), ("elsewhere/tools.py", "new")}),
    "hard link": (
        lambda w: os.link(w / "agent/tools.py", w / "copy.py"),
        {("agent/tools.py", "link"), ("copy.py", "link")},
    ),
    "renamed over frozen": (
        lambda w: (w / "task_agent.py").rename(w / "agent/tools.py") and None,
        {("task_agent.py", "deleted"), ("agent/tools.py", "changed")},
    ),
    "named pipe": (lambda w: os.mkfifo(w / "pipe"), {("pipe", "special")}),
    "socket": (socket_file, {("s", "special")}),
    "folder in place of a file": (folder_for_file, {("task_agent.py", "special")}),
    "set-uid bit": (
        lambda w: (w / "task_agent.py").chmod(0o4755),
        {("task_agent.py", "mode")},
    ),
    "executable runtime": (
        lambda w: (w / "agent/tools.py").chmod(0o755),
        {("agent/tools.py", "mode")},
    ),
    "sparse giant": (sparse, {("task_agent.py", "oversized")}),
    "deep tree": (deep, {("/".join("d" * 17), "oversized")}),
    "no text": (write("task_agent.py", b"\xff\xfe"), {("task_agent.py", "encoding")}),
    "text with NUL": (write("task_agent.py", b"a\0b"), {("task_agent.py", "encoding")}),
    "empty folder": (lambda w: (w / "empty").mkdir(), {("empty", "new")}),
    "history deleted": (
        lambda w: (w / "evals/train.jsonl").unlink(),
        {("evals/train.jsonl", "deleted")},
    ),
}


@pytest.mark.parametrize("name", HARM)
def test_harm_is_put_back_and_told(workspace: Path, name: str) -> None:
    do, expected = HARM[name]
    do(workspace)
    result = take(workspace)
    assert {(change.path, change.kind) for change in result.changes} == expected
    for change in result.changes:
        inside = change.path == "task_agent.py" and change.kind == "deleted"
        assert change.verdict == ("accepted" if inside else "reverted"), change
        assert inside or change.reason
    expected_files = in_scope()
    if name == "renamed over frozen":
        del expected_files["task_agent.py"]
    assert result.files == expected_files


def test_twins_of_existing_paths_are_refused_in_a_wide_scope(workspace: Path) -> None:
    write("Agent/tools.py")(workspace)
    write("AGENT")(workspace)
    result = take(workspace, WIDE)
    assert {(c.path, c.kind) for c in result.changes} == {
        ("AGENT", "twin"),
        ("Agent/tools.py", "twin"),
    }


def test_deny_beats_allow(workspace: Path) -> None:
    write("evals/train.jsonl")(workspace)
    write("EVALS/more.txt")(workspace)
    result = take(workspace, WIDE)
    assert [change.verdict for change in result.changes] == ["reverted", "reverted"]
    assert "evals/train.jsonl" not in result.files


def test_a_flood_of_files_is_told_as_one_change(workspace: Path) -> None:
    for number in range(50):
        write(f"junk/sub{number}/file")(workspace)
        write(f"evals/extra{number}")(workspace)
    result = take(workspace)
    assert [(c.path, c.kind) for c in result.changes] == [("evals/", "new"), ("junk/", "new")]
    assert "50 paths" in result.changes[0].reason


def test_a_folder_that_is_too_full_hides_nothing_else(workspace: Path) -> None:
    for number in range(60):
        write(f"zz/{number}")(workspace)
    (workspace / "task_agent.py").write_text("one = 3\n")
    result = take(workspace, limits=IngestLimits(entries=40))
    assert result.files["task_agent.py"] == b"one = 3\n"
    assert [(c.path, c.kind) for c in result.changes] == [
        ("task_agent.py", "changed"),
        ("zz", "oversized"),
    ]


def test_a_root_that_is_too_full_yields_the_old_code(workspace: Path) -> None:
    for number in range(60):
        write(f"{number}")(workspace)
    result = take(workspace, limits=IngestLimits(entries=40))
    assert result.files == in_scope()
    assert only(result).kind == "oversized"


def test_new_content_in_all_is_bounded(workspace: Path) -> None:
    write("a.py", b"a" * 700)(workspace)
    write("b.py", b"b" * 700)(workspace)
    result = take(workspace, WIDE, IngestLimits(total_bytes=1000))
    assert {(c.path, c.kind) for c in result.changes} == {("a.py", "new"), ("b.py", "oversized")}


def test_large_materialized_files_are_no_violation(tmp_path: Path) -> None:
    files = {"task_agent.py": b"", "evals/big": b"b" * 5000}
    for path, content in files.items():
        write(path, content)(tmp_path)
    folder = os.open(tmp_path, os.O_RDONLY)
    result = ingest(folder, files, SCOPE, IngestLimits(file_bytes=100))
    os.close(folder)
    assert not result.changes


def test_an_odd_diff_is_cut_but_the_hash_stays(workspace: Path) -> None:
    write("task_agent.py", b"x\n" * 5000)(workspace)
    change = only(take(workspace))
    assert "too long for a diff" in change.diff and change.sha256_after
    write("task_agent.py", b"x" * 50_000)(workspace)
    assert only(take(workspace)).diff.endswith("(cut)")


def test_bytes_that_are_no_utf8_in_names_can_be_recorded(workspace: Path) -> None:
    (workspace / os.fsdecode(b"bad\xff.py")).write_text("x")
    change = only(take(workspace, WIDE))
    assert (change.path, change.kind) == ("bad\\udcff.py", "name")
    change.path.encode()


def test_result_does_not_depend_on_the_order_of_creation(tmp_path: Path) -> None:
    results: list[Ingest] = []
    for order in (1, -1):
        root = tmp_path / str(order)
        root.mkdir()
        for path in sorted({**FILES, "z": b"", "a/b": b"", "c/d": b""}, reverse=order < 0):
            write(path, FILES.get(path, b"n"))(root)
        results.append(take(root))
    assert results[0] == results[1]
    assert [c.path for c in results[0].changes] == ["a/b", "c/d", "z"]
