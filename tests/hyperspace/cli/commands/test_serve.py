import json
import signal
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT, Server, serving

pytestmark = pytest.mark.long

COMMAND = (sys.executable, "-m", "hyperspace", "serve", "--port", "0")
FAULTY = ("--fault", "429=0.2", "--fault", "cut=0.2", "--latency-ms", "0..30", "--seed", "5")


@contextmanager
def started(*arguments: str) -> "Generator[subprocess.Popen[str]]":
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def outcome(server: Server, request: int) -> int:
    """The status of a request, 0 if the connection broke."""
    body = {"model": "gpt-5.2", "messages": [{"role": "user", "content": f"question {request}"}]}
    with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body))
            response = connection.getresponse()
            response.read()
            return response.status
        except (HTTPException, ConnectionError):
            return 0


def outcomes(server: Server, request: int) -> list[int]:
    """The statuses of a client that tries until it has an answer."""
    statuses = [outcome(server, request)]
    while statuses[-1] != 200:
        statuses.append(outcome(server, request))
    return statuses


def test_it_says_where_it_serves_and_ends_cleanly_when_told_to() -> None:
    for sign in (signal.SIGINT, signal.SIGTERM):
        with started("--brain", "a=offline/tinker") as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(3)]
            process.send_signal(sign)
            rest, errors = process.communicate(timeout=300)
        root = lines[2].removeprefix("  what was asked: ").removesuffix("/stats\n")
        assert lines[0].startswith("serving a, tinker")
        assert lines[0].endswith(f" at {root}/v1 (Ctrl-C stops)\n")
        assert lines[1] == (
            f"  OPENAI_BASE_URL={root}/v1 ANTHROPIC_BASE_URL={root} "
            f"FIREWORKS_BASE_URL={root}/inference\n"
        )
        assert (rest, errors, process.returncode) == ("stopped after 0 requests\n", "", 0)


def test_names_that_providers_use_are_answered_unless_the_user_says_otherwise() -> None:
    with serving("claude-*=offline/magpie") as server:
        assert outcome(server, 0) == 200
        with closing(HTTPConnection("127.0.0.1", server.port)) as connection:
            connection.request("GET", "/v1/models")
            names = [model["id"] for model in json.load(connection.getresponse())["data"]]
    assert names[0] == "tinker"
    assert names[-3:] == [
        "claude-sonnet-4-6",
        "gpt-5.2",
        "accounts/fireworks/routers/kimi-k2p5-turbo",
    ]


def test_two_servers_of_one_seed_do_the_same_to_clients_of_any_speed() -> None:
    with serving(options=FAULTY) as one:
        in_turn = [outcomes(one, request) for request in range(24)]
        counted = one.stats()
    with serving(options=FAULTY) as other, ThreadPoolExecutor(8) as threads:
        at_once = list(threads.map(partial(outcomes, other), range(24)))
        assert other.stats() == counted
    assert at_once == in_turn
    assert {429, 0} < {status for statuses in in_turn for status in statuses}
    assert max(map(len, in_turn)) <= 4
    assert counted["completed"] == 24
    assert counted["faults"]["cut"] == counted["cut"] > 0


def test_a_script_from_a_file_is_played(tmp_path: Path) -> None:
    script = tmp_path / "faults.toml"
    script.write_text('rules = [{fault = "500", first = 2}, {fault = "cut"}]')
    with serving(options=("--faults", str(script))) as server:
        assert outcomes(server, 0) == [500, 500, 0, 200]


def test_a_taken_port_is_one_clear_sentence() -> None:
    with serving() as server:
        said = failed(hyperspace("serve", "--port", str(server.port)), 2)
    assert said == (
        f"hyperspace: cannot listen on 127.0.0.1:{server.port}: Address already in use; "
        "choose another --port, or 0 for any free one"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port=x"], "is no port; a port is a number from 0 to 65535"),
        (["--port=65536"], "is no port"),
        (["--brain", "a=nope"], "no offline policy is called 'nope'"),
        (["--fault", "nope=1"], "no fault is called 'nope'; there are statuses"),
        (["--fault", "cut=0.9", "--fault", "500=0.9"], "together pass 1"),
        (["--faults", "/does/not/exist"], "cannot read the fault file"),
        (["--latency-ms", "9..1"], "write it like 50..200"),
        (["--slow-s", "nan"], "is no number of seconds"),
        (["--host", "192.0.2.1"], "choose an address of this machine as --host"),
        (["--host", "no.such.host.invalid"], "choose an address of this machine as --host"),
    ],
)
def test_options_that_make_no_sense_are_told(arguments: list[str], said: str) -> None:
    assert said in failed(hyperspace("serve", *arguments), 2)


@needs_bubblewrap
def test_a_pair_that_met_faults_ends_like_one_that_met_none(tmp_path: Path) -> None:
    options = ("--fault", "429=0.15", "--fault", "cut=0.1", "--retry-after-s", "0")
    with serving() as calm, serving(options=options) as stormy:
        with ThreadPoolExecutor(2) as threads:
            servers = {"calm": calm, "stormy": stormy}
            jobs = {
                name: threads.submit(_pair, server, tmp_path / name)
                for name, server in servers.items()
            }
        results = {name: job.result() for name, job in jobs.items()}
        assert results["calm"]["digest"] == results["stormy"]["digest"]
        for name, server in servers.items():
            assert _paid(Path(results[name]["run"])) == _completed(server)
        assert sum(stormy.stats()["faults"].values()) > 0


def _pair(server: Server, results: Path) -> Any:
    models = [f"{name}@{server.url}" for name in ("claude-sonnet-4-6", "gpt-5.2")]
    job = ("--domain", "repo_quality", "--generations", "1", "--seed", "4")
    done = hyperspace("pair", "--models", *models, *job, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _paid(run: Path) -> tuple[int, int, int]:
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    calls = [line for line in lines if line["kind"] == "settled"]
    prompt, completion = (
        sum(call[f"{kind}_tokens"] for call in calls) for kind in ("prompt", "completion")
    )
    return len(calls), prompt, completion


def _completed(server: Server) -> tuple[int, int, int]:
    stats = server.stats()
    return stats["completed"], stats["prompt_tokens"], stats["completion_tokens"]
