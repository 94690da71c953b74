"""Files of an export are held against what it lists, whatever their size."""

import hashlib
from pathlib import Path

import msgspec
import pytest

from guards.scope.regular_files import MOST_BYTES, check_tree
from hyperspace.export.packing import Contents, Packed, changed_since, own_export
from hyperspace.kernel.state.folder import EXPORT
from hyperspace.kernel.state.ownership import sign

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
    return Contents(
        format=1,
        run="domain/pair/seed1",
        digest="",
        finished=True,
        audit_head="",
        audit_entries=0,
        audit_problem="",
        redacted=False,
        files=files,
        left_out=(),
    )


def test_a_large_file_that_is_as_it_was_is_not_blamed(listed: Contents, tmp_path: Path) -> None:
    assert changed_since(tmp_path, listed) == []


def test_what_was_changed_or_lost_is_named_but_for_the_space(
    listed: Contents, tmp_path: Path
) -> None:
    (tmp_path / "a/llm_calls.jsonl").write_bytes(LARGE[:-1] + b"y")
    (tmp_path / "b.json").unlink()
    (tmp_path / "space.db").write_bytes(b"other")
    assert changed_since(tmp_path, listed) == ["a/llm_calls.jsonl", "b.json"]


def test_the_list_of_a_long_run_is_known_again_for_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    sign(tmp_path / "begun", b"{}")  # makes the secret
    many = tuple(Packed(f"ann/gen_{at}/repo/a.py", at, "0" * 64) for at in range(150_000))
    signed = contents(many).signed()
    (tmp_path / EXPORT).write_bytes(msgspec.json.encode(signed))
    assert (tmp_path / EXPORT).stat().st_size > MOST_BYTES
    check_tree(tmp_path)
    assert own_export(tmp_path) == signed
    (tmp_path / EXPORT).write_bytes(msgspec.json.encode(contents(many)))
    assert own_export(tmp_path) is None
