"""A recording may be a stranger's: it is read only if it holds nothing but plain files."""

import json
import os
from pathlib import Path

import pytest

from hyperspace.lookup.replayed import find_recorded
from hyperspace.models.base import UnknownModel


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "tinker" / "gen_0").mkdir(parents=True)
    write(folder, agents=["tinker"], models=["offline/tinker"])
    return folder


def write(run: Path, **configuration: object) -> None:
    (run / "run_config.json").write_text(json.dumps({"configuration": configuration}))


def refusal(run: Path, agent: str = "tinker") -> str:
    with pytest.raises(UnknownModel) as refused:
        find_recorded(f"replay:{run}#{agent}")
    return str(refused.value)


def test_a_plain_one_has_the_name_of_what_was_recorded(run: Path) -> None:
    assert find_recorded(f"replay:{run}#tinker").name == "offline/tinker"


def test_links_are_not_followed(run: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    (run / "tinker" / "gen_0" / "llm_calls.jsonl").symlink_to(tmp_path / "secret")
    assert "is a link, and links are not followed" in refusal(run)


@pytest.mark.parametrize("place", ["run_config.json", "tinker/gen_0/llm_calls.jsonl"])
def test_pipes_make_nobody_wait(run: Path, place: str) -> None:
    (run / place).unlink(missing_ok=True)
    os.mkfifo(run / place)
    assert "is neither a file nor a folder" in refusal(run)


def test_an_agent_that_is_a_path_is_none(run: Path) -> None:
    write(run, agents=["../.."], models=["offline/tinker"])
    assert "no agent '../..'" in refusal(run, "../..")


def test_a_record_that_is_nested_deeply_is_refused(run: Path) -> None:
    (run / "run_config.json").write_text('{"other": ' + "[" * 100_000)
    assert "nested too deeply" in refusal(run)
