"""Paths come from ids and records alone: nothing outside of the folder is read."""

import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.dashboards import Client, dashboard

pytestmark = pytest.mark.long  # plays a run

WORDS = "the-words-of-a-secret"
RUN = "repo_quality/tinker_vs_magpie/seed3"
WAYS_UP = (
    "..",
    "../..",
    "../../../../../../etc/passwd",
    "/etc/passwd",
    ".",
    "",
    "\\..\\..",
    "%2e%2e",
)


@pytest.fixture
def results(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "results")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "task_agent.py").write_text(WORDS)
    (tmp_path / "outside" / "secret.txt").write_text(WORDS)
    return tmp_path / "results"


def run_id(client: Client) -> str:
    return client.get("/api/runs").json()["runs"][0]["id"]


@pytest.mark.parametrize("way", WAYS_UP)
def test_no_part_of_an_address_is_a_path(results: Path, tmp_path: Path, way: str) -> None:
    with dashboard(results, tmp_path / "cache") as client:
        run, part = run_id(client), quote(way, safe="")
        for path in (
            f"/static/{part}",
            f"/static/{part}%2fsecret.txt",
            f"/runs/{part}",
            f"/api/runs/{part}",
            f"/runs/{run}/agents/{part}",
            f"/runs/{run}/agents/{part}/1",
            f"/runs/{run}/generations/{part}/1",
        ):
            assert client.get(path).status in (404, 400) or path.endswith("/")
        for path in (
            f"/static/../{way}",
            f"/runs/../../{way}",
            f"//{way}",
            f"/runs/{run}/../{way}",
        ):
            answer = client.get(quote(path, safe="/%"))
            assert WORDS not in answer.text and "root:" not in answer.text


def test_files_beside_our_own_are_not_sent(results: Path, tmp_path: Path) -> None:
    with dashboard(results, tmp_path / "cache") as client:
        for name in ("__init__.py", "dashboard.css%00.py", ".env", "page.py", "%2fetc%2fpasswd"):
            assert client.get(f"/static/{name}").status == 404


@pytest.mark.parametrize("name", ["space.db", "run_config.json", "summary.json", "tinker"])
def test_a_run_with_a_link_is_not_read_and_the_others_are(
    results: Path, tmp_path: Path, name: str
) -> None:
    shutil.copytree(results / RUN, results / "other" / "seed4")
    outside = tmp_path / "outside" / "moved"
    (results / RUN / name).rename(outside)
    (results / RUN / name).symlink_to(outside)
    with dashboard(results, tmp_path / "cache") as client:
        rows = {row["name"]: row["id"] for row in client.get("/api/runs").json()["runs"]}
        assert client.get("/").status == 200
        refused = client.get(f"/runs/{rows[RUN]}")
        assert (refused.status, "links are not followed" in refused.text) == (409, True)
        assert client.get(f"/runs/{rows['other/seed4']}").status == 200


def test_a_generation_that_is_a_link_is_not_read(results: Path, tmp_path: Path) -> None:
    generation = results / RUN / "tinker" / "gen_1"
    generation.rename(tmp_path / "outside" / "gen_1")
    generation.symlink_to(tmp_path / "outside" / "gen_1")
    with dashboard(results, tmp_path / "cache") as client:
        assert "links are not followed" in client.get(f"/runs/{run_id(client)}").text


def test_code_behind_a_link_is_not_read(results: Path, tmp_path: Path) -> None:
    from hyperspace.runs.folders import read_run

    repo = results / RUN / "tinker" / "gen_1" / "repo"
    shutil.rmtree(repo)
    repo.symlink_to(tmp_path / "outside")
    row = read_run(results / RUN).agents[0].generations[1]
    assert row.task.read() is None and row.code_bytes is None


def test_a_run_that_is_a_link_is_no_run(results: Path, tmp_path: Path) -> None:
    (results / "seed9").symlink_to(results / RUN)
    with dashboard(results, tmp_path / "cache") as client:
        assert [row["name"] for row in client.get("/api/runs").json()["runs"]] == [RUN]


def test_what_is_named_is_a_link_by_the_persons_own_word(results: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to(results)
    with dashboard((tmp_path / "mine").resolve(), tmp_path / "cache") as client:
        assert client.get(f"/runs/{run_id(client)}").status == 200


def test_a_run_that_was_removed_is_not_there(results: Path, tmp_path: Path) -> None:
    with dashboard(results, tmp_path / "cache") as client:
        run = run_id(client)
        shutil.rmtree(results / RUN)
        assert client.get(f"/runs/{run}").status == 404
        assert client.get("/").status == 200


def test_agents_names_in_a_record_are_no_paths(results: Path, tmp_path: Path) -> None:
    record = results / RUN / "run_config.json"
    for name in ("../../../outside", "/etc", "..", "a/b", "<script>alert(1)</script>"):
        text = record.read_text()
        record.write_text(text.replace('"tinker"', f'"{name}"', 1))
        with dashboard(results, tmp_path / "cache") as client:
            answer = client.get(f"/runs/{run_id(client)}")
            assert WORDS not in answer.text and "<script>alert" not in answer.text
        record.write_text(text)


@pytest.mark.parametrize(
    "number", ["1e9", "-1", "99999999999999999999", "0x1", "\u0661", "1.0", ""]
)
def test_a_generation_is_a_whole_number(results: Path, tmp_path: Path, number: str) -> None:
    from hyperspace.dashboard.errors import NotThere
    from hyperspace.dashboard.links import ServerLinks
    from hyperspace.dashboard.question import Question
    from hyperspace.dashboard.results.tree import ResultsTree
    from hyperspace.dashboard.sources import open_sources

    sources = open_sources(ResultsTree(results), tmp_path / "cache")
    run = sources.tree.places()[0].id
    path = {"run": run, "agent": "tinker", "generation": number}
    with pytest.raises(NotThere, match="has no generation"):
        Question(sources, path, {}, ServerLinks()).generation()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file that others cannot read")
@pytest.mark.parametrize("name", ["summary.json", "ledger.jsonl", "audit.jsonl"])
def test_a_device_or_a_pipe_in_a_run_keeps_nobody_waiting(
    results: Path, tmp_path: Path, name: str
) -> None:
    (results / RUN / "summary.json").unlink()
    (results / RUN / name).unlink(missing_ok=True)
    os.mkfifo(results / RUN / name)
    with dashboard(results, tmp_path / "cache") as client:
        run = run_id(client)
        for view in ("", "/lineage", "/spending"):
            assert client.get(f"/runs/{run}{view}").status in (200, 500)
        assert client.get("/").status == 200


def test_a_ledger_without_line_ends_is_not_taken_into_memory(results: Path, tmp_path: Path) -> None:
    (results / RUN / "summary.json").unlink()
    os.truncate(results / RUN / "ledger.jsonl", 1 << 30)
    with dashboard(results, tmp_path / "cache") as client:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert client.get(f"/runs/{run_id(client)}/lineage").status == 200
        grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kb < 300_000


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_a_record_that_is_no_file_hides_none_of_its_siblings(
    results: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    for name in ("good", "odd"):
        shutil.copytree(results / RUN, results / "named" / name)
    (results / "named" / "odd" / "run_config.json").unlink()
    make(results / "named" / "odd" / "run_config.json")
    with dashboard(results, tmp_path / "cache") as client:
        rows = {row["name"] for row in client.get("/api/runs").json()["runs"]}
    assert rows == {RUN, "named/good", "named/odd"}


def test_the_audit_tells_of_folders_whose_names_are_no_utf8(results: Path, tmp_path: Path) -> None:
    odd = results / RUN / os.fsdecode(b"\xff\xfe")
    odd.mkdir()
    with dashboard(results, tmp_path / "cache") as client:
        answer = client.get(f"/api/runs/{run_id(client)}/audit?content=1")
    assert answer.status == 200
    assert any("\\xff\\xfe is a folder" in line for line in answer.json()["through"])
