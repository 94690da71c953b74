"""An option costs its declaration and the place that uses it: one declared here is everywhere."""

import argparse
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import pytest

from guards.sandboxes.choose import BOUNDARIES, register
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Running
from hyperspace.cli.arguments.declared import add_launch
from hyperspace.cli.arguments.launching import Launching
from hyperspace.cli.arguments.table import page
from hyperspace.cli.commands.pair import options_from
from hyperspace.kernel.errors import ConfigMismatch, RunUsageError
from hyperspace.kernel.events import nobody
from hyperspace.kernel.state.config import read_record, require_equal, write_record
from hyperspace.launch.existing import options_of
from hyperspace.launch.playing import forecast_setup
from hyperspace.launch.replay import ReplayOptions, replay_run
from hyperspace.launch.setup import record_of, set_up
from hyperspace.options.option import Option
from hyperspace.options.values import positive
from hyperspace.reporting.command_line import Parser
from tests.support.paths import ROOT
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair

TEXT = "ask for so many opinions"
PAIR = (
    "--models",
    "offline/tinker",
    "offline/magpie",
    "--domain",
    "tests/support/tasks/asking.py:asking",
)


class WithOpinions(PairOptions, frozen=True, kw_only=True):
    """A pair with four options more: three are part of the run, `lanes` is not."""

    opinions: Annotated[
        int,
        Option(
            "--opinions",
            TEXT,
            group="evaluation",
            kept="identity",
            metavar="N",
            parse=positive,
            scales="calls",
        ),
    ] = 1
    muted: Annotated[
        tuple[str, ...],
        Option("--mute", "be silent", kept="identity", kind="repeated", finish=tuple, dest="muted"),
    ] = ()
    hint: Annotated[
        Path | None, Option("--hint", "tell what FILE holds", kept="content", metavar="FILE")
    ] = None
    lanes: Annotated[
        int, Option("--lanes", "play in lanes", kept="record", parse=positive, metavar="N")
    ] = 2


def parser() -> argparse.ArgumentParser:
    made = Parser(prog="hyperspace pair", add_help=False)
    add_launch(made, "pair", (WithOpinions, Launching))
    return made


def asked(tmp_path: Path, *options: str) -> WithOpinions:
    args = parser().parse_args([*PAIR, "--results", str(tmp_path), *options])
    args.argv = ("hyperspace", "pair")
    options_read = options_from(args, WithOpinions)
    assert isinstance(options_read, WithOpinions)
    return options_read


def shown(capsys: pytest.CaptureFixture[str], flag: str) -> str:
    with pytest.raises(SystemExit):
        parser().parse_args([flag])
    return capsys.readouterr().out


def test_it_is_parsed_into_the_record(tmp_path: Path) -> None:
    assert asked(tmp_path, "--opinions", "3").opinions == 3
    assert asked(tmp_path).opinions == 1


def test_a_wrong_value_is_refused_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([*PAIR, "--opinions", "0"])
    assert "argument --opinions: 0 is not at least 1" in capsys.readouterr().err


def test_help_all_shows_it_and_help_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{TEXT} (default: 1)" in " ".join(shown(capsys, "--help-all").split())
    assert "--opinions" not in shown(capsys, "--help")


def test_the_record_of_a_run_has_it_and_going_on_reads_it(tmp_path: Path) -> None:
    options = asked(tmp_path, "--opinions", "3", "--lanes", "4")
    setup = set_up(options, nobody)
    path = setup.folder.record
    write_record(path, record_of(setup, ProcessSandbox()))
    told = json.loads(path.read_text())
    assert told["configuration"]["options"] == {"opinions": 3, "seed_agent": "shown"}
    assert told["lanes"] == 4
    again = options_of(setup.folder.root, WithOpinions)
    assert (again.opinions, again.lanes) == (3, 4)


def test_another_value_is_another_run_if_it_is_part_of_it(tmp_path: Path) -> None:
    three, four = (
        set_up(asked(tmp_path, "--opinions", number), nobody).config for number in ("3", "4")
    )
    same = set_up(asked(tmp_path, "--opinions", "3", "--lanes", "9"), nobody).config
    require_equal(tmp_path, three, same)
    with pytest.raises(ConfigMismatch) as refused:
        require_equal(tmp_path, three, four)
    assert refused.value.field == "opinions"


def test_going_on_asks_for_the_same_run(tmp_path: Path) -> None:
    hint = tmp_path / "hint.txt"
    hint.write_text("look at the limits")
    setup = set_up(asked(tmp_path, "--mute", "a", "--mute", "b", "--hint", str(hint)), nobody)
    write_record(setup.folder.record, record_of(setup, ProcessSandbox()))
    recorded = read_record(setup.folder.record).configuration
    again = set_up(options_of(setup.folder.root, WithOpinions, sandbox="process"), nobody)
    require_equal(setup.folder.root, recorded, again.config)
    hint.write_text("look elsewhere")
    other = set_up(options_of(setup.folder.root, WithOpinions, sandbox="process"), nobody)
    with pytest.raises(ConfigMismatch) as refused:
        require_equal(setup.folder.root, recorded, other.config)
    assert refused.value.field == "hint"


@pytest.mark.parametrize(("field", "value"), [("lanes", 0), ("lanes", "many"), ("sandbox", "jail")])
def test_a_record_that_no_command_line_asks_for_is_named(
    tmp_path: Path, field: str, value: object
) -> None:
    setup = set_up(asked(tmp_path), nobody)
    write_record(setup.folder.record, record_of(setup, ProcessSandbox()))
    told = json.loads(setup.folder.record.read_text())
    setup.folder.record.write_text(json.dumps(told | {field: value}))
    with pytest.raises(RunUsageError, match=rf"run_config.json cannot be gone on with: {field}: "):
        options_of(setup.folder.root, WithOpinions)


class WithAllowance(PairOptions, frozen=True, kw_only=True):
    """A pair with an option where its kind does nothing."""

    allowance: Annotated[int, Option("--allowance", "allow N", kept="limits", parse=positive)] = 1


def test_a_limit_outside_of_spending_is_refused(tmp_path: Path) -> None:
    models = ("offline/tinker", "offline/magpie")
    options = WithAllowance(models=models, domain=PAIR[-1], results=tmp_path)
    with pytest.raises(TypeError, match="--allowance: what is kept as limits is a field of Spend"):
        set_up(options, nobody)


class BusyProcess(ProcessSandbox):
    """A process that counts how many of its kind there are at a time."""

    name = "busy"
    now = most = 0

    @asynccontextmanager
    async def start(self, job: Job) -> AsyncGenerator[Running]:
        """Start a job; see `Sandbox`."""
        BusyProcess.now += 1
        BusyProcess.most = max(BusyProcess.most, BusyProcess.now)
        try:
            async with super().start(job) as running:
                yield running
        finally:
            BusyProcess.now -= 1


@pytest.fixture
def busy() -> Iterator[None]:
    register(BusyProcess.name, BusyProcess, lambda: None)
    yield
    del BOUNDARIES[BusyProcess.name]


@pytest.mark.long
@pytest.mark.usefixtures("busy")
def test_a_replay_has_the_options_of_its_run(tmp_path: Path) -> None:
    workers = ("--generations", "1", "--eval-workers", "3", "--sandbox", "busy")
    played = run_pair(asked(tmp_path, *workers), nobody)
    assert BusyProcess.most == 3
    BusyProcess.most = 0
    again = ReplayOptions(run=Path(played.run), domain=PAIR[-1], kind=WithOpinions)
    assert replay_run(again, nobody).same
    assert BusyProcess.most == 3


def test_its_default_leaves_no_trace_in_the_configuration(tmp_path: Path) -> None:
    setup = set_up(asked(tmp_path), nobody)
    write_record(setup.folder.record, record_of(setup, ProcessSandbox()))
    configuration = json.loads(setup.folder.record.read_text())["configuration"]
    assert configuration["options"] == {"seed_agent": "shown"}


def test_the_forecast_counts_it_as_it_says(tmp_path: Path) -> None:
    once, thrice = (
        forecast_setup(set_up(asked(tmp_path, "--opinions", number), nobody)).parts[1].expected
        for number in ("1", "3")
    )
    rounds = 11
    assert thrice.calls - rounds == 3 * (once.calls - rounds) > 0


def test_the_table_of_options_has_it_and_the_page_is_made_of_the_declarations() -> None:
    assert f"| `--opinions` | pair | identity | {TEXT} (default: 1) |" in page((WithOpinions,))
    assert (ROOT / "docs" / "reference" / "options.md").read_text() == page()
