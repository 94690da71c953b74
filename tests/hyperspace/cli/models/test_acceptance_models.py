"""What paired runs on real SDKs promise, all of it at once, with faults and kills on the way.

A pair of claude-sonnet-4-6 (anthropic SDK) and kimi-k2p5-turbo (fireworks SDK) is asked over HTTP
from `hyperspace serve`. The short form is scripted: each fault and the kill has its place. The
long form draws faults at random, kills wherever a call is, and runs into its limits.
"""

import json
import signal
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from hyperspace.spending.budget import SpendingLimits, SpendingState
from tests.support.command import HYPERSPACE
from tests.support.runs.accepted import CLAUDE, KIMI, Play, counted, limits_held
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.network import without_network
from tests.support.servers.server import Server, serving

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # what language models write never runs without a boundary
]

SCRIPT = """
rules = [
    {fault = "429", model = "claude-*"},
    {fault = "null_ids", model = "claude-*"},
    {fault = "cut", model = "claude-*"},
    {fault = "null_ids", model = "claude-*"},
    {fault = "500", model = "accounts/*"},
    {fault = "null_ids", model = "accounts/*"},
    {fault = "malformed", model = "accounts/*"},
    {fault = "null_ids", model = "accounts/*"},
    {fault = "hang", model = "accounts/*"},
    {fault = "no_finish", model = "accounts/*"},
]
"""
SCRIPTED = {"429", "500", "cut", "malformed", "no_finish", "hang", "null_ids"}
RATES = {"429": 0.08, "500": 0.05, "529": 0.05, "cut": 0.08, "malformed": 0.05, "no_finish": 0.05}
BILLED_MAYBE = ("cut", "malformed", "no_finish", "hang")  # faults after which nobody knows
TIGHT = SpendingLimits(usd=0.6, tokens=60_000)


class Scripted(NamedTuple):
    """A scripted run that was killed on asyncio and ended on trio, and the undisturbed one."""

    play: Play
    reference: Play


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Generator[Scripted]:
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "faults.toml").write_text(SCRIPT)
    script = ["--faults", str(folder / "faults.toml"), "--retry-after-s", "0"]
    with serving() as calm, serving(options=script) as rough:
        reference, play = played(calm, folder / "calm"), made(rough, folder / "rough")
        assert play.kill("asyncio", hanging(rough)) == -signal.SIGKILL
        assert play.end("trio") == 0, play.errors
        yield Scripted(play, reference)


def test_it_met_every_fault_over_both_wires(scripted: Scripted) -> None:
    stats = scripted.play.server.stats()
    assert set(stats["faults"]) == SCRIPTED
    assert set(stats["wires"]) == {"anthropic", "fireworks"}


def test_it_ends_with_the_digest_of_the_undisturbed_run(scripted: Scripted) -> None:
    assert scripted.play.digest == scripted.reference.digest


def test_the_ledger_agrees_with_the_server_to_the_token(scripted: Scripted) -> None:
    assert agrees_to_the_token(scripted.play)
    assert agrees_to_the_token(scripted.reference)
    counts = counted(scripted.play.server, CLAUDE)
    assert counts["cached_tokens"] > 0
    assert counts["cache_write_tokens"] > 0


def test_the_kill_repeated_the_call_in_flight_alone(scripted: Scripted) -> None:
    play, reference = scripted
    assert repeats_only_what_was_in_flight(play, reference, kills=1)
    for model in (CLAUDE, KIMI):  # the call in flight was never answered, so none was twice
        once = counted(reference.server, model)["completed"]
        assert counted(play.server, model)["completed"] == once


def test_spent_plus_reserved_was_within_the_limits_at_every_moment(scripted: Scripted) -> None:
    assert scripted.play.looks > 20  # while it was played
    assert limits_held(scripted.play)


def test_its_replay_makes_no_connection(scripted: Scripted) -> None:
    if without_network("true").returncode:
        pytest.skip("an empty network namespace is refused here")
    before = scripted.play.server.requests()
    replays_without_a_connection(scripted.play)
    assert scripted.play.server.requests() == before


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_random_faults_kills_and_reached_limits_break_no_promise(
    backend: str, tmp_path: Path
) -> None:
    rates = [part for kind, rate in RATES.items() for part in ("--fault", f"{kind}={rate}")]
    rough_ways = [*rates, "--latency-ms", "30..120", "--retry-after-s", "0", "--seed", "4"]
    thinking = "?thinking=adaptive&stream=on"
    with serving() as calm, serving(options=rough_ways) as rough:
        reference = played(calm, tmp_path / "calm", thinking, 3)
        play = made(rough, tmp_path / "rough", thinking, 3)
        assert play.kill(backend, calling(rough, 1), TIGHT) == -signal.SIGKILL
        assert play.end(backend, TIGHT) == 1
        assert "is reached" in play.errors
        kills = 1
        for calls in range(play.budget().spent.calls + 1, 34, 5):
            kills += play.kill(backend, calling(rough, calls)) == -signal.SIGKILL
        assert kills >= 4
        assert play.end(backend) == 0, play.errors
        assert sum(rough.stats()["faults"].values()) > 0
        assert counted(rough, CLAUDE)["reasoning_tokens"] > 0
        assert play.digest == reference.digest
        assert repeats_only_what_was_in_flight(play, reference, kills)
        assert agrees_to_the_token(play, kills)
        assert limits_held(play)
    if without_network("true").returncode == 0:
        replays_without_a_connection(play)


def made(server: Server, folder: Path, options: str = "", generations: int = 1) -> Play:
    folder.mkdir()
    return Play(server, folder, options, generations)


def played(server: Server, folder: Path, options: str = "", generations: int = 1) -> Play:
    """The undisturbed run."""
    play = made(server, folder, options, generations)
    assert play.end("asyncio") == 0, play.errors
    assert not server.stats()["faults"]
    assert agrees_to_the_token(play)
    return play


def hanging(server: Server) -> Callable[[SpendingState], bool]:
    """A call is in flight that the server will never answer."""
    return lambda budget: bool(budget.reserved) and "hang" in server.stats()["faults"]


def calling(server: Server, calls: int) -> Callable[[SpendingState], bool]:
    """A call is in flight, after so many that were answered."""
    return lambda budget: budget.spent.calls >= calls and server.stats()["in_flight"] > 0


def agrees_to_the_token(play: Play, kills: int = 0) -> bool:
    """Ledger and server count the same replies, tokens of caches and of reasoning included.

    A kill may come when the server's last byte has gone out and the ledger's line is not written:
    such a reply is among those of which the ledger says that it knows only a bound.
    """
    ours = Counter[str]()
    theirs = Counter[str]()
    for model in (CLAUDE, KIMI):
        ours.update(play.settled(model))
        theirs.update(counted(play.server, model))
    gap = {name: theirs[name] - ours[name] for name in theirs}
    if gap["completed"] == 0:
        return all(play.settled(model) == counted(play.server, model) for model in (CLAUDE, KIMI))
    tokens = gap["prompt_tokens"] + gap["completion_tokens"]
    return gap["completed"] <= kills and 0 < tokens <= play.budget().reserved_tokens()


def repeats_only_what_was_in_flight(play: Play, reference: Play, kills: int) -> bool:
    """A reply that was paid for is asked for again only if a kill came before it was taken in."""
    needed, got = reference.budget().spent.calls, play.budget().spent.calls
    faults = play.server.stats()["faults"]
    lost = len(play.budget().reserved)
    spoiled = sum(faults.get(kind, 0) for kind in BILLED_MAYBE)
    return needed <= got <= needed + kills and lost <= spoiled + kills


def replays_without_a_connection(play: Play) -> None:
    """Neither the server nor anything else can be reached, nor is there a key."""
    reach = f"import urllib.request as u; u.urlopen('{play.server.url}/models')"
    assert without_network("python3", "-c", reach).returncode == 1
    done = without_network(*HYPERSPACE, "replay", str(play.run), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == play.digest
