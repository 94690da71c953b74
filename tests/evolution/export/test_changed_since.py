"""Files of an export are held against what it lists, whatever their size."""

import hashlib
from pathlib import Path

import pytest

from evolution.export.packing import Contents, Packed, changed_since
from guards.scope.regular_files import MOST_BYTES

LARGE = b"x" * (MOST_BYTES + 1)


@pytest.fixture
def listed(tmp_path: Path) -> Contents:
    files = {"a/llm_calls.jsonl": LARGE, "b.json": b"{}", "space.db": b"any"}
    packed: list[Packed] = []
    for path, data in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
        packed.append(Packed(path, len(data), hashlib.sha256(data).hexdigest()))
    return contents(tuple(packed))


def contents(files: tuple[Packed, ...]) -> Contents:
    unsaid = {name: "" for name in Contents.__struct_fields__ if name != "files"}
    return Contents(**unsaid, files=files)  # type: ignore[arg-type]


def test_a_large_file_that_is_as_it_was_is_not_blamed(listed: Contents, tmp_path: Path) -> None:
    assert changed_since(tmp_path, listed) == []


def test_what_was_changed_or_lost_is_named_but_for_the_space(
    listed: Contents, tmp_path: Path
) -> None:
    (tmp_path / "a/llm_calls.jsonl").write_bytes(LARGE[:-1] + b"y")
    (tmp_path / "b.json").unlink()
    (tmp_path / "space.db").write_bytes(b"other")
    assert changed_since(tmp_path, listed) == ["a/llm_calls.jsonl", "b.json"]
