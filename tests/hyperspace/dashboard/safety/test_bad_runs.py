"""Runs that are damaged, foreign, unreadable or gone: a sentence where it belongs, others work."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from hyperspace.dashboard.api.registry import ENDPOINTS
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.runs.trace import TraceFile
from tests.support.dashboards import Answer, Client, dashboard
from tests.support.hostile.own_run import AGENTS, finish, write_own_run
from tests.support.runs.published_runs import Generation, write_run

OWN, GOOD = "own/seed7", "good/seed1"
CODE = "def answer(item):\n    return item\n"
NOBODY = 65534
FAILED = "the dashboard failed here"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    results = tmp_path / "results"
    write_own_run(results / OWN)
    write_good(results)
    return results


def write_good(results: Path) -> None:
    rows = [Generation(CODE, 0.1), Generation(CODE, 0.2)]
    write_run(results / GOOD, {"one": rows, "two": rows})


def ids(client: Client) -> dict[str, str]:
    return {run["name"]: run["id"] for run in client.get("/api/runs").json()["runs"]}


def asked(client: Client, run: str, agent: str) -> Iterator[tuple[str, Answer]]:
    """Ask for each page and each answer about a run."""
    name = quote(agent, safe="")
    for path in (*(view.path for view in VIEWS), *(each.path for each in ENDPOINTS)):
        for generation in ("1", "99") if "{generation}" in path else ("",):
            address = path.replace("{run}", run).replace("{agent}", name)
            address = address.replace("{generation}", generation)
            yield address, client.get(f"{address}?content=1&q=answer")


def assert_told(client: Client, run: str, agent: str = AGENTS[0]) -> None:
    """Check that every page about a run is an answer or a sentence, and that the others work."""
    for address, answer in asked(client, run, agent):
        assert FAILED not in answer.text, address
        assert "error" not in answer.text or len(answer.text) > len('{"error": ""}'), address
    for address, answer in asked(client, ids(client)[GOOD], "one"):
        assert answer.status in (200, 400, 404) and FAILED not in answer.text, address
    assert client.get("/").status == 200


def cut(run: Path) -> None:
    space = run / "space.db"
    space.write_bytes(space.read_bytes()[:5000])


def overwrite_space(run: Path) -> None:
    (run / "space.db").write_bytes(b"\xff" * 9000)


def lose_space(run: Path) -> None:
    (run / "space.db").unlink()


def change_marks(run: Path) -> None:
    with closing(sqlite3.connect(run / "space.db")) as space:
        space.execute("UPDATE marks SET body = ? WHERE sequence % 2", (b"\x81\xa1x\xc0",))
        space.commit()


def make_newer(run: Path) -> None:
    with closing(sqlite3.connect(run / "space.db")) as space:
        space.execute("UPDATE meta SET value = '99' WHERE name = 'schema_version'")
        space.commit()


def break_record(run: Path) -> None:
    (run / "run_config.json").write_bytes(b'{"format": 1, "configuration": [\xff')


def lose_record(run: Path) -> None:
    (run / "run_config.json").unlink()


def nest_record(run: Path) -> None:
    (run / "run_config.json").write_text("[" * 100_000)


def break_files(run: Path) -> None:
    for path in (run / AGENTS[0]).rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff\x00{" * 100)
    (run / "ledger.jsonl").write_bytes(b"\xff" * 100)


def put_folders(run: Path) -> None:
    for path in [*(run / AGENTS[0]).rglob("*.json*"), *(run / AGENTS[0]).rglob("*.csv")]:
        path.unlink()
        path.mkdir()


def lose_agents(run: Path) -> None:
    for agent in AGENTS:
        shutil.rmtree(run / agent)


HARMS = (
    *(cut, overwrite_space, lose_space, change_marks, make_newer, break_record, nest_record),
    *(lose_record, break_files, put_folders, lose_agents),
)


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_a_damaged_run_says_so_and_the_others_work(
    results: Path, tmp_path: Path, harm: object
) -> None:
    assert callable(harm)
    harm(results / OWN)
    with dashboard(results, tmp_path / "cache") as client:
        assert_told(client, ids(client)[OWN])


def test_a_space_of_a_newer_version_is_named_as_such(results: Path, tmp_path: Path) -> None:
    make_newer(results / OWN)
    with dashboard(results, tmp_path / "cache") as client:
        listed = client.get("/api/runs?search=own").json()["runs"][0]["overview"]
        assert listed["state"] == "damaged" and "schema version 99" in listed["why"]
        assert "schema version 99" in client.get(f"/runs/{ids(client)[OWN]}").text


@pytest.mark.parametrize("harm", [cut, overwrite_space, make_newer, lose_space])
def test_a_finished_run_whose_space_is_damaged_is_listed_as_damaged(
    results: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    finish(results / OWN)
    with dashboard(results, tmp_path / "cache") as client:

        def overview() -> dict[str, str]:
            return client.get("/api/runs?search=own").json()["runs"][0]["overview"]

        assert overview()["state"] == "finished"
        harm(results / OWN)
        assert overview()["state"] == "damaged" and "space.db" in overview()["why"]


def test_a_run_that_is_deleted_while_its_pages_are_open_is_said_to_be_gone(
    results: Path, tmp_path: Path
) -> None:
    with dashboard(results, tmp_path / "cache") as client:
        run = ids(client)[OWN]
        assert client.get(f"/runs/{run}").status == 200
        shutil.rmtree(results / OWN)
        gone = client.get(f"/runs/{run}")
        assert gone.status == 404 and "it was removed" in gone.text
        assert client.get(f"/api/runs/{run}/events").status == 404
        assert_told(client, run)


LONG = "é" * 127 + "x"  # 255 bytes


@pytest.mark.parametrize("name", [LONG, "x" * 255, os.fsdecode(b"a\xff\xfe b"), "a\nb\tc"])
def test_names_of_any_bytes_and_255_of_them_are_shown(tmp_path: Path, name: str) -> None:
    results = tmp_path / "results"
    write_good(results)
    rows = [Generation(CODE, 0.1), Generation(CODE, 0.2, calls="{}\n")]
    run = write_run(results / name / "seed1", {name: rows, "other": rows})
    (run / name / "gen_1" / "repo" / name).write_text(CODE)
    with dashboard(results, tmp_path / "cache") as client:
        number = next(number for name, number in ids(client).items() if name != GOOD)
        agent = max(each["name"] for each in client.get(f"/api/runs/{number}").json()["agents"])
        assert_told(client, number, agent)
        assert client.get(f"/runs/{number}/agents/{quote(agent)}/generations/1").status == 200
        shown = client.get(f"/runs/{number}").text
        assert "other" in shown and "<main" in shown


@contextmanager
def somebody_else() -> Generator[Path]:
    """A folder of which a part may be closed to whoever looks: nobody looks in place of root."""
    folder = Path(tempfile.mkdtemp(prefix="hyperspace-unreadable-"))
    folder.chmod(0o755)
    was = os.geteuid()
    try:
        yield folder
    finally:
        os.seteuid(was)
        for path in folder.rglob("*"):
            path.chmod(0o755)
        shutil.rmtree(folder)


@pytest.mark.parametrize(
    "closed", [".", "space.db", "run_config.json", AGENTS[0], f"{AGENTS[0]}/gen_1", "ledger.jsonl"]
)
def test_what_may_not_be_read_is_said_and_the_rest_is_shown(tmp_path: Path, closed: str) -> None:
    with somebody_else() as folder:
        results = folder / "results"
        write_own_run(results / OWN)
        write_good(results)
        cache = folder / "cache"
        cache.mkdir()
        for path in (results, *results.rglob("*")):
            path.chmod(0o755)
        cache.chmod(0o777)
        (results / OWN / closed).chmod(0)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        with dashboard(results, cache) as client:
            assert_told(client, ids(client)[OWN])
            if closed in (".", "space.db", "run_config.json"):
                overview = client.get("/api/runs?search=own").json()["runs"][0]["overview"]
                assert overview["state"] == "damaged" and overview["why"]
                assert "[Errno" not in overview["why"]


@pytest.mark.parametrize("beside", [".", str(Path(OWN).parent)])
def test_a_closed_folder_beside_runs_hides_none_of_them(tmp_path: Path, beside: str) -> None:
    with somebody_else() as folder:
        results = folder / "results"
        write_own_run(results / OWN)
        write_good(results)
        closed = results / beside / "lost+found"
        closed.mkdir()
        (folder / "cache").mkdir()
        for path in (results, *results.rglob("*")):
            path.chmod(0o755)
        (folder / "cache").chmod(0o777)
        closed.chmod(0)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        with dashboard(results, folder / "cache") as client:
            states = {
                run["name"]: run["overview"] for run in client.get("/api/runs").json()["runs"]
            }
            assert {OWN, GOOD} < set(states)
            assert states[OWN]["state"] != "damaged"
            (other,) = set(states) - {OWN, GOOD}
            assert other.endswith("lost+found")
            assert "cannot be read (Permission denied)" in states[other]["why"]


def test_a_trace_that_may_not_be_read_is_not_said_to_be_missing(tmp_path: Path) -> None:
    with somebody_else() as folder:
        trace = folder / "llm_calls.jsonl"
        trace.write_text("{}\n")
        trace.chmod(0)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        with TraceFile(trace, "trace").open() as opened:
            assert (opened.problem, opened.file) == ("cannot be read (Permission denied)", None)
