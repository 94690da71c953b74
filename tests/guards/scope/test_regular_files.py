"""A folder that somebody else made holds files and folders, or is refused by name."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from guards.parsing import decode_json
from guards.scope.regular_files import DEEPEST, UnsafeTree, check_tree


def a_link(path: Path) -> None:
    path.symlink_to("/etc")


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        os.chdir(path.parent)
        bound.bind(path.name)


def a_giant(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


def a_large_record(path: Path) -> None:
    target = path.with_suffix(".json")
    target.touch()
    os.truncate(target, 20_000_000)


def a_deep_folder(path: Path) -> None:
    Path(path, *"d" * (DEEPEST + 1)).mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (a_link, "is a link"),
        (os.mkfifo, "neither a file nor a folder"),
        (a_socket, "neither a file nor a folder"),
        (a_giant, "at most"),
        (a_large_record, "at most 16000000"),
        (a_deep_folder, "nested too deeply"),
    ],
)
def test_what_is_no_file_of_a_run_is_refused_by_name(
    make: Callable[[Path], object],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    check_tree(tmp_path)
    make(tmp_path / "a" / "b" / "odd")
    with pytest.raises(UnsafeTree, match=f"/a/b/odd.* {why}"):
        check_tree(tmp_path)


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "latest").symlink_to("run")
    check_tree(tmp_path / "latest")


def test_a_second_name_matters_only_to_a_writer(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "mine").write_text("x")
    os.link(tmp_path / "mine", tmp_path / "run" / "ledger.jsonl")
    check_tree(tmp_path / "run")
    with pytest.raises(UnsafeTree, match="second name"):
        check_tree(tmp_path / "run", alone=True)


def test_json_of_any_depth_is_decoded_or_refused() -> None:
    assert decode_json(b"[[1]]", list[list[int]]) == [[1]]
    for kind in (object, dict[str, object]):
        with pytest.raises(msgspec.DecodeError, match="nested too deeply"):
            decode_json(b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", kind)
