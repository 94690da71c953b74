"""What cannot be asked of a run is one sentence, and leaves nothing behind."""

import hashlib
from pathlib import Path

import pytest

from hyperspace.cli.main import main
from tests.support.runs.begun import begun
from tests.support.runs.copied import strangers


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of ours in which nothing was played yet."""
    return begun(tmp_path / "run")


def state_of(run: Path) -> str:
    return hashlib.sha256((run / "space.db").read_bytes()).hexdigest()


def refused(run: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    before = state_of(run)
    assert main(["steer", str(run), *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert state_of(run) == before
    return line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("stop-agent", "nobody"), "has no agent 'nobody'; it has tinker, magpie"),
        (("say", "nobody\x1b[2J", "x"), "no agent 'nobody\\x1b[2J'"),
        (("say", "tinker", "  "), "it needs words, and at most 4000"),
        (("say", "tinker", "a\udcff"), "the text is not valid Unicode"),
        (("say", "all", "x" * 4001), "the text has 4001 characters"),
        (("pin", "tinker", "3"), "tinker has no generation 3; closed are none"),
        (("pin", "tinker", "-"), "tinker is not pinned"),
        (("answer", "abc", "x"), "has no need 'abc'; open are: none"),
        (("resume",), "is not paused"),
        (("give-up", "nobody"), "has no agent 'nobody'; it has tinker, magpie"),
        (("give-up", "tinker"), "tinker has no generation under way, so there is none to give up"),
        (("give-up", "tinker", "7"), "tinker has no generation under way"),
        (("quota", "tinker"), "quota sets at least one of --calls, --usd and --tokens"),
    ],
)
def test_what_does_not_fit_is_a_sentence(
    run: Path, words: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refused(run, capsys, *words)


def test_what_holds_already_is_not_asked_again(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, told in ((("pause",), "is paused"), (("stop-agent", "tinker"), "stopped before")):
        assert main(["steer", str(run), *words]) == 0
        capsys.readouterr()
        assert told in refused(run, capsys, *words)


def test_a_quota_is_never_above_the_limit_of_the_run(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "limits.json").write_text(
        '{"limits": {"usd": 2.0, "tokens": 100}, "prices": null, '
        '"allow_unknown_price": false, "format": 1}'
    )
    for name, value in (("usd", "3"), ("tokens", "101")):
        told = refused(run, capsys, "quota", "tinker", f"--{name}", value)
        assert f"above the limit of the whole run, --max-{name}" in told


def test_a_run_of_somebody_else_is_not_steered(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = strangers(run, tmp_path / "other")
    assert "was not begun by you here" in refused(other, capsys, "pause")


def test_an_export_is_not_steered(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "export.json").write_text("{}")
    assert "is an export" in refused(run, capsys, "pause")


def test_a_folder_without_a_run_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (("pause",), ("list",), ("needs",)):
        assert main(["steer", str(tmp_path), *words]) == 2
        assert "holds no run" in capsys.readouterr().err


def test_what_was_asked_is_listed(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steer", str(run), "say", "tinker", "hello\x1b[2J"]) == 0
    assert main(["steer", str(run), "quota", "magpie", "--calls", "7", "--usd", "0.5"]) == 0
    capsys.readouterr()
    assert main(["steer", str(run), "list"]) == 0
    said, quota = capsys.readouterr().out.splitlines()
    assert said.endswith("say tinker hello\\x1b[2J: pending")
    assert quota.endswith("quota magpie --calls 7 --usd 0.5: pending")
    assert main(["steer", str(run), "needs"]) == 0
    assert capsys.readouterr().out == "no needs\n"


def test_of_several_generations_under_way_one_is_named(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (".gen_0", ".gen_1"):
        (run / "tinker" / name).mkdir()
    (run / "abandoned" / "tinker_gen_2_0").mkdir(parents=True)
    told = refused(run, capsys, "give-up", "tinker")
    assert f"under way are generations 0, 1, 2 of tinker; name one: hyperspace steer {run}" in told
    assert "forked from generation 0" in refused(run, capsys, "give-up", "tinker", "0")
    assert main(["steer", str(run), "give-up", "tinker", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("on record: give-up tinker 2\nit takes effect within seconds where ")
    assert "was given up before" in refused(run, capsys, "give-up", "tinker", "2")
