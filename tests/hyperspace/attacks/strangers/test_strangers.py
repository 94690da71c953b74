"""A run folder of a stranger, opened by every command: nothing of it gets out of the folder."""

import json
import os
import shutil
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.hyperspace.attacks.strangers.cases import CASES
from tests.hyperspace.attacks.strangers.crafting import ESCAPE, Craft, Outside, snapshot
from tests.support.command import PAIR, pair
from tests.support.forks.forking import Template
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import Server, serving

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # a stranger's run is executed nowhere else
]

LONGEST_S = 10.0  # of processor time: a busy machine proves nothing, and a pipe takes none
KEY = "key-of-the-person"
COMMANDS: dict[str, tuple[str, ...]] = {
    "resume": ("resume", "RUN"),
    "detached resume": ("resume", "RUN", "--detach"),
    "trusted resume": ("resume", "RUN", "--trust", "--max-tokens", "0", "--max-usd", "0"),
    "launch": ("pair", *PAIR, "--generations", "1", "--seed", "3", "--results", "RESULTS"),
    "from-run": ("pair", *PAIR, "--from-run", "RUN#magpie", "--results", "NEW", "--dry-run"),
    "replay": ("replay", "RUN"),
    "live replay": ("replay", "RUN", "--tools", "live", "--trust"),
    "audit": ("audit", "RUN"),
    "digest": ("digest", "RUN"),
    "watch": ("watch", "RUN", "--once"),
    "watch as JSON": ("watch", "RUN", "--once", "--json", "--after", "0"),
    "analyze": ("analyze", "RUN"),
    "report": ("report", "RUN"),
    "eval_progress": ("eval_progress", "RUN"),
    "export": ("export", "RUN", "--out", "NEW.zip"),
    "redacted export": ("export", "RUN", "--redact", "--out", "NEW.tgz"),
    "space marks": ("space", "marks", "RUN"),
    "space verify": ("space", "verify", "RUN"),
}
OTHERS = tuple(name for name in COMMANDS if "resume" not in name)


class Opened(NamedTuple):
    """A command that has opened a crafted run."""

    code: int
    said: str
    seconds: float


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, as it was before a stranger had it."""
    options = ("--sandbox", "bubblewrap")
    return Path(pair(tmp_path_factory.mktemp("theirs"), *options, generations=1)["run"])


@pytest.fixture(scope="module")
def server() -> Generator[Server]:
    with serving("gpt-4=tinker") as running:
        yield running


@pytest.fixture(scope="module")
def started() -> Generator[Template]:
    """A process of a person who has a key, from which commands are forked."""
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    with Template(environment) as template:
        yield template


@pytest.fixture
def craft(run: Path, server: Server, tmp_path: Path) -> Craft:
    home = tmp_path / "home"
    for folder in (".ssh", "documents"):
        (home / folder).mkdir(parents=True)
    for name in (".bashrc", ".ssh/id", "documents/thesis.txt", "documents/task_agent.py"):
        (home / name).write_text("years of work, without a line feed at its end")
    target = tmp_path / "results" / "repo_quality" / "tinker_vs_magpie" / "seed3"
    shutil.copytree(run, target)
    return Craft(target, Outside(home, server.url))


def opened(started: Template, craft: Craft, command: str) -> Opened:
    """Let a command open the run, in the surroundings of a person who has a key."""
    folder = craft.run.parents[3]
    places = {"RUN": str(craft.run), "RESULTS": str(craft.run.parents[2])}
    places |= {"NEW": str(folder / "new"), "NEW.zip": str(folder / "new.zip")}
    places |= {"NEW.tgz": str(folder / "new.tgz")}
    words = [places.get(word, word) for word in COMMANDS[command]]
    words = [word.replace("RUN#", f"{craft.run}#") for word in words]
    home = {"HOME": str(craft.outside.home)}
    ended = started.run("hyperspace", words, 9 * LONGEST_S, folder, home)
    said = (ended.out + ended.errors).decode("utf-8", "surrogateescape")
    return Opened(ended.code, said, ended.cpu_s)


def hold(started: Template, craft: Craft, case: str, commands: list[str]) -> None:
    """Craft a case, and open it with commands, one after the other, each on what is there then."""
    CASES[case](craft)
    before = snapshot(craft.outside.home)
    asked = requests(craft)
    for command in commands:
        done = opened(started, craft, command)
        assert "Traceback" not in done.said, (command, done.said)
        assert done.code in (0, 1, 2), (command, done)
        assert done.seconds < LONGEST_S, (command, done)
        assert not any(c in done.said for c in ESCAPE if not c.isprintable()), (command, done.said)
        assert KEY not in done.said
        assert snapshot(craft.outside.home) == before, command
        assert "years of work" not in done.said, command
    assert requests(craft) == asked


def requests(craft: Craft) -> int:
    """How often the stranger's server was asked for anything."""
    address = craft.outside.url.removesuffix("/v1") + "/stats"
    with urllib.request.urlopen(address) as answer:  # noqa: S310  our own server
        return int(json.load(answer)["requests"])


@pytest.mark.parametrize("case", CASES)
def test_a_strangers_run_is_not_gone_on_with_to_any_harm(
    case: str, craft: Craft, started: Template
) -> None:
    craft.unfinished()
    hold(started, craft, case, ["resume", "detached resume", "trusted resume"])


@pytest.mark.parametrize("case", CASES)
def test_some_commands_that_open_it_let_nothing_out(
    case: str, craft: Craft, started: Template
) -> None:
    first = [*CASES].index(case)
    hold(started, craft, case, [OTHERS[(first + 5 * step) % len(OTHERS)] for step in range(3)])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_command_that_opens_it_lets_anything_out(
    case: str, craft: Craft, started: Template
) -> None:
    hold(started, craft, case, [*OTHERS])


def test_there_are_cases_enough() -> None:
    assert len(CASES) >= 40
