"""What is told while a run goes on, by `watch` and by its page: nothing so far, long replies."""

import json
import subprocess
import time
from collections.abc import Generator, Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple

import pytest

from tests.support.command import HYPERSPACE, hyperspace
from tests.support.dashboards import Client, dashboard
from tests.support.forks.forking import environment
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.faulty_server import FaultyServer, Prepared, faulty_server, stream

pytestmark = [pytest.mark.long, needs_bubblewrap]

QUOTED: Final = "I would first look at the code."
GROWING: Final = "m gen 3 modify: still writing, "
NOTHING: Final = "2 of 2 generations called no tool"
ASKED_A_GENERATION: Final = 2  # one that calls nothing is told once what is expected
WRITTEN_S: Final = 14.0  # a reply is reported after ten
MISSING: Final = Prepared(404, b"404 page not found", (("Content-Type", "text/plain"),))
PAGES: Final = ("/v1/models", "/props", "/api/v1/models", "/api/ps", "/api/show")


class Told(NamedTuple):
    """What was told while a run was played.

    Attributes:
        run: Its folder.
        events: Of `watch --json`.
        lines: Of `watch`.
        cells: Each text that its page was sent, in order, with the place where it stands.
        page: Its page while a reply was being written.
        stderr: What the run itself wrote.
    """

    run: Path
    events: list[Any]
    lines: list[str]
    cells: list[tuple[str, str]]
    page: str
    stderr: str


def chunk(text: str, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**body, "choices": [choice]}


def whole(text: str) -> Prepared:
    return stream(chunk(text, "stop"))


def slow(text: str) -> Prepared:
    """A reply of which a word comes every half second."""
    events = [chunk(f"{text} ") for _ in range(int(2 * WRITTEN_S))]
    prepared = stream(*events, chunk("", "stop"))
    return prepared._replace(drip_s=WRITTEN_S / len(prepared.body))


@pytest.fixture(scope="module")
def server() -> Generator[FaultyServer]:
    quick = [whole(QUOTED)] * (2 * ASKED_A_GENERATION)
    with faulty_server(*quick, slow("and on"), whole(QUOTED)) as server:
        server.pages.update(dict.fromkeys(PAGES, MISSING))
        yield server


@pytest.fixture(scope="module")
def told(server: FaultyServer, tmp_path_factory: pytest.TempPathFactory) -> Told:
    results = tmp_path_factory.mktemp("results")
    model, numbers = f"m@{server.url}", ("--iterations", "3", "--no-controls")
    played = ("solo", "--model", model, "--domain", "repo_quality", *numbers)
    run = results / "repo_quality/repo_quality/arm_a_full/seed42"
    watched = ("watch", str(run), "--wait", "--after", "0")
    with (
        dashboard(results, tmp_path_factory.mktemp("cache")) as client,
        started(*watched, "--json") as events,
        started(*watched) as lines,
        started(*played, "--results", str(results)) as playing,
    ):
        cells = list[tuple[str, str]]()
        run_id = awaited_run(client)
        listener = Thread(target=lambda: cells.extend(sent(client, run_id)), daemon=True)
        listener.start()
        page = awaited_page(client, run_id, playing)
        _, stderr = playing.communicate(timeout=120)
        told_events = [json.loads(line) for line in events.communicate(timeout=60)[0].splitlines()]
        told_lines = lines.communicate(timeout=60)[0].splitlines()
        listener.join(60)
    return Told(run, told_events, told_lines, cells, page, stderr)


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*HYPERSPACE, *words],
        cwd=ROOT,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def awaited_run(client: Client) -> str:
    """The run's id, as soon as its page says how it stands: before it has a space, it does not."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for run in client.get("/api/runs").json()["runs"]:
            if 'id="state"' in client.get(f"/runs/{run['id']}").text:
                return str(run["id"])
        time.sleep(0.2)
    raise AssertionError("the dashboard shows no run")


def awaited_page(client: Client, run: str, playing: subprocess.Popen[str]) -> str:
    """The run's page at a moment when a reply is being written."""
    while playing.poll() is None:
        page = client.get(f"/runs/{run}").text
        if "still writing" in page:
            return page
        time.sleep(0.3)
    return ""


def sent(client: Client, run: str) -> Iterator[tuple[str, str]]:
    """The texts that the page of a run is sent, until the run is finished."""
    connection = HTTPConnection(client.settings.host, client.settings.port, timeout=120)
    try:
        connection.request("GET", f"/api/runs/{run}/events", headers=client.headers())
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        for line in answer:
            if line.startswith(b"data: "):
                cells = json.loads(line.removeprefix(b"data: ")).get("cells", {})
                yield from ((place, cell[0]) for place, cell in cells.items())
                if cells.get("state", [""])[0].startswith("finished"):
                    return
    finally:
        connection.close()


def test_watch_tells_of_nothing_after_the_second_such_generation(told: Told) -> None:
    kinds = [(each["event"], each.get("generation")) for each in told.events]
    (nothing,) = (each for each in told.events if each["event"] == "nothing")
    assert nothing["text"].startswith(f'{NOTHING}; the model answered in the text: "{QUOTED}"')
    at = told.events.index(nothing)
    assert kinds.index(("generation", 2)) < at < kinds.index(("generation", 3))
    (line,) = (line for line in told.lines if "has come to nothing so far" in line)
    assert NOTHING in line
    once = hyperspace("watch", told.run, "--once").stdout
    assert "m has come to nothing so far: 2 of 2" in once or "3 of 3" in once


def test_watch_tells_how_long_a_reply_is_and_when_it_has_come(told: Told) -> None:
    growing = [each["replies"] for each in told.events if each["event"] == "replies"]
    assert growing[0][0]["tokens"] > 0
    assert (growing[0][0]["generation"], growing[0][0]["purpose"]) == (3, "modify")
    assert growing[-1] == []
    assert any(line.startswith(GROWING) for line in told.lines)
    assert not (told.run / ".replies.json").exists()


def test_the_page_and_what_it_is_sent_tell_both(told: Told) -> None:
    assert GROWING in told.page
    assert NOTHING in told.page
    states = [text for place, text in told.cells if place == "state"]
    assert any(NOTHING in text for text in states)
    flights = [text for place, text in told.cells if place == "flight"]
    first = next(n for n, text in enumerate(flights) if GROWING in text)
    assert any("still writing" not in text for text in flights[first:])


def test_the_run_itself_tells_both(told: Told) -> None:
    assert "m: 2 of 2 generations called no tool" in told.stderr
    assert "m gen 3 modify: still writing, " in told.stderr
