"""Runs that are killed between an odd answer of a server and what is written down of it.

Each ends, once the server answers well, with the digest of the undisturbed run; the ledger ends
every reservation once, and leaves open only what a killed process had in flight.
"""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.ledger_lines import (
    Line,
    ReleasedCall,
    ReservedCall,
    SettledCall,
    UnreadableCall,
)
from tests.support.command import HYPERSPACE, hyperspace, kill_at
from tests.support.forks.forking import environment
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.quirk_proxy import Quirk, QuirkProxy, RefusalRule, quirk_proxy
from tests.support.servers.server import serving

pytestmark = [pytest.mark.long, needs_bubblewrap]

MALFORMED: Final = '{"choices": 5}'
MODIFYING: Final = 1  # what the server answers before the replies that are odd
PLAIN: Final = Quirk("plain", "")
ENDED: Final = ("settled", "released", "unreadable")
_Ended = SettledCall | ReleasedCall | UnreadableCall


def malformed(name: str, count: int) -> Quirk:
    """A server with unreadable replies, after it has answered well."""
    rule = RefusalRule(status=200, body=MALFORMED, after=MODIFYING, first=count)
    return Quirk(name, "", refuse=(rule,))


ONE: Final = malformed("one", 1)
THREE: Final = malformed("three", 3)
WITHOUT_TEMPERATURE: Final = Quirk(
    "picky",
    "",
    refuse=(
        RefusalRule(
            status=400, field="temperature", body='{"error": {"message": "no `temperature` here"}}'
        ),
    ),
)


class World(NamedTuple):
    """A server behind its quirks, and the digest of the run that none of them disturbs."""

    proxy: QuirkProxy
    settled: int
    calls: int
    digest: str


def arguments(proxy: QuirkProxy, quirk: Quirk, results: Path) -> list[str]:
    model = f"a@{proxy.url(quirk)}?stream=off"
    asked = ("--model", model, "--domain", "repo_quality", "--iterations", "2", "--seed", "1")
    return ["solo", *asked, "--no-controls", "--results", str(results)]


def ended(proxy: QuirkProxy, quirk: Quirk, results: Path) -> Any:
    """Play to the end."""
    done = hyperspace(*arguments(proxy, quirk, results), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[World]:
    quirks = (PLAIN, ONE, THREE, WITHOUT_TEMPERATURE)
    with serving("a=tinker") as server, quirk_proxy(server.url.removesuffix("/v1"), *quirks) as p:
        result = ended(p, PLAIN, tmp_path_factory.mktemp("plain"))
        run = Path(result["run"])
        settled = Counter(kind(line) for line in read_lines(run / "ledger.jsonl"))["settled"]
        yield World(p, settled, len(calls(run)), result["digest"])


@pytest.fixture(autouse=True)
def fresh(world: World) -> Iterator[None]:
    """Let quirks begin anew."""
    world.proxy.requests.clear()
    world.proxy.refused.clear()
    world.proxy.asked.clear()
    yield
    world.proxy.around = lambda _: _nothing()


@contextmanager
def _nothing() -> Generator[None]:
    yield


def kind(line: Line) -> str:
    """What a line of a ledger is called."""
    return str(line.__struct_config__.tag)


def calls(run: Path) -> list[str]:
    """The calls in the traces of closed generations."""
    paths = sorted(run.glob("*/gen_*/llm_calls.jsonl"))
    lines = ((path.parent.name, line) for path in paths for line in path.read_text().splitlines())
    return [f"{generation} {json.loads(line)['call_id']}" for generation, line in lines]


def balance(run: Path) -> dict[str, int]:
    """How often the ledger says what, checked to end no reservation twice; `open` is not ended."""
    lines = list(read_lines(run / "ledger.jsonl"))
    reserved = [line.id for line in lines if isinstance(line, ReservedCall)]
    over = [line.id for line in lines if isinstance(line, _Ended)]
    assert len(set(reserved)) == len(reserved)
    assert len(set(over)) == len(over)
    assert set(over) <= set(reserved)
    counts = Counter(kind(line) for line in lines)
    return {name: counts[name] for name in ENDED} | {"open": len(reserved) - len(over)}


def check_sums(run: Path, told: dict[str, int]) -> None:
    """Hold what the summary says of spending against the ledger."""
    spending = json.loads((run / "summary.json").read_text())["spending"]
    assert spending["total"]["calls"] == told["settled"]
    assert spending["usage_unknown"]["calls"] == told["open"]


def killed(world: World, quirk: Quirk, results: Path, around: Callable[[int, int], Any]) -> None:
    """Play in a process that the server itself kills, in what is done around its answers.

    Args:
        world: The servers.
        quirk: Of the server.
        results: Where the run lies.
        around: Takes the process and the number of a request.
    """
    with subprocess.Popen(
        [*HYPERSPACE, *arguments(world.proxy, quirk, results)],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        world.proxy.around = lambda number: around(process.pid, number)
        _, told = process.communicate(timeout=300)
    world.proxy.around = lambda _: _nothing()
    assert process.returncode == -signal.SIGKILL, told


def run_of(results: Path) -> Path:
    (record,) = results.glob("**/run_config.json")
    return record.parent


@contextmanager
def kill_with_reply_unread(process: int, number: int) -> Generator[None]:
    """Stop the process before an odd reply, which then lies in its socket, and kill it."""
    if number != MODIFYING:
        yield
        return
    os.kill(process, signal.SIGSTOP)
    yield
    os.kill(process, signal.SIGKILL)


@contextmanager
def kill_at_retry(process: int, number: int) -> Generator[None]:
    """Kill the process when it asks again, so that what it was told before is written down."""
    if number == MODIFYING + 1:
        os.kill(process, signal.SIGKILL)
    yield


@pytest.mark.parametrize(
    ("around", "unreadable"), [(kill_with_reply_unread, 0), (kill_at_retry, 1)]
)
def test_killed_around_an_unreadable_reply_it_ends_as_undisturbed(
    around: Callable[[int, int], Any], unreadable: int, world: World, tmp_path: Path
) -> None:
    killed(world, ONE, tmp_path, around)
    result = ended(world.proxy, ONE, tmp_path)
    told = balance(Path(result["run"]))
    # What the killed process had in flight is not known, and counts with its bound for good.
    expected = {"settled": world.settled, "released": 0, "unreadable": unreadable, "open": 1}
    assert told == expected
    check_sums(Path(result["run"]), told)
    assert len(calls(Path(result["run"]))) == world.calls
    assert result["digest"] == world.digest
    assert hyperspace("replay", result["run"]).returncode == 0


def test_killed_between_ledger_and_trace_the_one_reply_is_asked_for_again(
    world: World, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    results = tmp_path / "results"
    kill_at(log, f"a:1:call:{MODIFYING + 1}", *arguments(world.proxy, ONE, results))
    before = balance(run_of(results))
    assert before == {"settled": MODIFYING + 1, "released": 0, "unreadable": 1, "open": 0}
    result = ended(world.proxy, ONE, results)
    told = balance(Path(result["run"]))
    assert told == before | {"settled": world.settled + 1}
    check_sums(Path(result["run"]), told)
    assert len(set(calls(Path(result["run"])))) == len(calls(Path(result["run"]))) == world.calls
    assert result["digest"] == world.digest


def test_three_replies_with_one_complaint_pause_at_once_and_none_stays_reserved(
    world: World, tmp_path: Path
) -> None:
    began = time.monotonic()
    done = hyperspace(*arguments(world.proxy, THREE, tmp_path))
    assert done.returncode == 1, done.stderr
    assert "answered 3 times in a way that cannot be read" in done.stderr.splitlines()[-1]
    assert time.monotonic() - began < 60  # an outage is told after ten minutes
    run = run_of(tmp_path)
    before = {"settled": MODIFYING, "released": 0, "unreadable": 3, "open": 0}
    assert balance(run) == before
    resumed = hyperspace("resume", run, "--json")
    assert resumed.returncode == 0, resumed.stderr
    result = json.loads(resumed.stdout)
    assert balance(run) == before | {"settled": world.settled}
    check_sums(run, balance(run))
    assert len(calls(run)) == world.calls
    assert result["digest"] == world.digest


def forge(path: Path) -> None:
    """Write records that no start can have made, for the very model."""
    model = json.loads(path.read_text())["model"]
    forged: list[dict[str, Any]] = [
        {"model": model, "field": "messages", "remedy": "drop"},
        {"model": model, "field": "model", "remedy": "drop"},
        {"model": model, "field": "max_tokens", "remedy": "shrink", "window": -5},
        {"model": model, "field": "max_tokens", "remedy": "shrink", "most": -1},
        {"model": model, "field": "tools", "remedy": "explode"},
        {"model": 5, "field": "tools", "remedy": "text"},
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in forged))


HOSTILE: Final[dict[str, Callable[[Path], object]]] = {
    "as it was": lambda path: path.touch(),
    "garbage": lambda path: path.write_bytes(
        b"\0\xff{\n}}\n[1, 2]\n" + path.read_bytes() + b"torn"
    ),
    "nested": lambda path: path.write_text("[" * 10_000 + "]" * 10_000 + "\n"),
    "forged": forge,
    "link": lambda path: (path.rename(path.with_name("aside")), path.symlink_to("aside")),
    "link to a device": lambda path: (path.unlink(), path.symlink_to("/dev/zero")),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}
LEARNT: Final = {"as it was", "garbage"}
TOLD: Final = {"link", "link to a device", "folder", "pipe"}


@pytest.mark.parametrize("way", HOSTILE)
def test_what_a_model_does_not_take_is_known_to_the_first_request_after_a_kill(
    way: str, world: World, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    kill_at(tmp_path / "log", "a:2:look", *arguments(world.proxy, WITHOUT_TEMPERATURE, results))
    asked = world.proxy.asked
    assert "temperature" in asked[0]
    assert not any("temperature" in fields for fields in asked[1:])
    path = run_of(results) / "adaptations.jsonl"
    learnt = path.read_bytes()
    assert json.loads(learnt)["field"] == "temperature"
    HOSTILE[way](path)
    asked.clear()
    done = hyperspace(*arguments(world.proxy, WITHOUT_TEMPERATURE, results), "--json")
    assert done.returncode == 0, done.stderr
    assert ("temperature" in asked[0]) == (way not in LEARNT)
    assert ("adaptations.jsonl cannot be written" in done.stderr) == (way in TOLD), done.stderr
    if way == "link":
        assert path.with_name("aside").read_bytes() == learnt
    assert json.loads(done.stdout)["digest"] == world.digest
