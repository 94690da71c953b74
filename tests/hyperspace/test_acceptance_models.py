"""What paired runs on real SDKs promise, all of it at once, with faults and kills on the way.

A pair of claude-sonnet-4-6 (anthropic SDK) and kimi-k2p5-turbo (fireworks SDK) is asked over HTTP
from `hyperspace serve`. The short form is scripted: each fault and each kill has its place. The
long form draws faults at random, kills wherever a call is, and runs into its limits.
"""

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.budget import Budget, Limits
from tests.support.accepted import CLAUDE, KIMI, Play, counted, limits_held
from tests.support.command import HYPERSPACE
from tests.support.network import without_network
from tests.support.sandboxes import needs_bubblewrap
from tests.support.server import Server, serving

pytestmark = needs_bubblewrap  # what language models write never runs without a boundary

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
TIGHT = Limits(usd=0.6, tokens=60_000)


def test_a_scripted_run_across_both_event_loops_keeps_every_promise(tmp_path: Path) -> None:
    (tmp_path / "faults.toml").write_text(SCRIPT)
    script = ["--faults", str(tmp_path / "faults.toml"), "--retry-after-s", "0"]
    with serving() as calm, serving(options=script) as rough:
        reference, play = played(calm, tmp_path / "calm"), made(rough, tmp_path / "rough")
        assert play.kill("asyncio", hanging(rough)) == -signal.SIGKILL
        assert play.end("trio") == 0, play.errors
        assert set(rough.stats()["faults"]) == SCRIPTED
        keeps_every_promise(play, reference, kills=1)
        # The kill hit one call, which was never answered; no call was answered twice.
        assert counted(rough, CLAUDE)["completed"] == counted(calm, CLAUDE)["completed"]
        assert counted(rough, KIMI)["completed"] == counted(calm, KIMI)["completed"]
    replays_without_a_connection(play)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_run_with_random_faults_kills_and_limits_keeps_every_promise(
    backend: str, tmp_path: Path
) -> None:
    rates = [part for kind, rate in RATES.items() for part in ("--fault", f"{kind}={rate}")]
    rough_ways = [*rates, "--latency-ms", "30..120", "--retry-after-s", "0", "--seed", "4"]
    thinking = "?thinking=adaptive"
    with serving() as calm, serving(options=rough_ways) as rough:
        reference = played(calm, tmp_path / "calm", thinking, 3)
        play = made(rough, tmp_path / "rough", thinking, 3)
        assert play.kill(backend, calling(1), TIGHT) == -signal.SIGKILL
        assert play.end(backend, TIGHT) == 1
        assert "is reached" in play.errors
        kills = 1
        for calls in range(play.budget().spent.calls + 1, 34, 5):
            kills += play.kill(backend, calling(calls)) == -signal.SIGKILL
        assert kills >= 4
        assert play.end(backend) == 0, play.errors
        assert sum(rough.stats()["faults"].values()) > 0
        assert counted(rough, CLAUDE)["reasoning_tokens"] > 0
        keeps_every_promise(play, reference, kills)
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


def hanging(server: Server) -> Callable[[Budget], bool]:
    """A call is in flight that the server will never answer."""
    return lambda budget: bool(budget.reserved) and "hang" in server.stats()["faults"]


def calling(calls: int) -> Callable[[Budget], bool]:
    """A call is in flight, after so many that were answered."""
    return lambda budget: bool(budget.reserved) and budget.spent.calls >= calls


def keeps_every_promise(play: Play, reference: Play, kills: int) -> None:
    assert play.digest == reference.digest
    assert set(play.server.stats()["wires"]) == {"anthropic", "fireworks"}
    assert repeats_only_what_was_in_flight(play, reference, kills)
    assert agrees_to_the_token(play, kills)
    assert play.looks > 20
    assert limits_held(play)


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
    """Neither the server, which has ended, nor anything else can be reached, nor is there a key."""
    if without_network("true").returncode:
        pytest.skip("an empty network namespace is refused here")
    reach = f"import urllib.request as u; u.urlopen('{play.server.url}/models')"
    assert without_network("python3", "-c", reach).returncode == 1
    done = without_network(*HYPERSPACE, "replay", str(play.run), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == play.digest
