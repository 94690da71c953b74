"""The same pages of runs played here, over HTTP: they tell what audit and analysis tell."""

import re
import tarfile
from collections.abc import Generator
from pathlib import Path

import pytest

from hyperspace.audit.audit import read_audit
from hyperspace.runs.folders import read_run
from tests.support.command import hyperspace, pair
from tests.support.dashboards import Client, dashboard
from tests.support.runs.copied import copied
from transfer_experiment.analysis import analyse

pytestmark = pytest.mark.long  # plays runs


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One pair that adopts, one that the guard has to do with."""
    folder = tmp_path_factory.mktemp("results")
    pair(folder, generations=6, seed=42)
    done = hyperspace(
        *("pair", "--models", "offline/prober?what=scope&rate=1", "offline/bloater"),
        *("--domain", "repo_quality", "--generations", "2", "--seed", "5", "--results", folder),
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Client]:
    """A dashboard over both."""
    with dashboard(results, tmp_path_factory.mktemp("cache")) as served:
        yield served


def run_of(results: Path, name: str) -> Path:
    return next(results.glob(f"repo_quality/{name}_vs_*/seed*"))


def address(client: Client, name: str) -> str:
    runs = client.get("/api/runs").json()["runs"]
    return next(run["id"] for run in runs if name in run["name"])


def test_adoptions_are_those_of_the_analysis(client: Client, results: Path) -> None:
    run = address(client, "magpie")
    events = analyse(read_run(run_of(results, "tinker"))).adoptions
    adopted = [e for e in events if e.rule == "causal" and e.verdict == "adopted"]
    page = client.get(f"/runs/{run}/adoptions").text
    assert adopted
    for event in adopted:
        number = event.strategy.rpartition("_gen")[2]
        assert f'id="{event.agent}-{event.generation}-{event.peer}-{number}"' in page
    answer = client.get(f"/api/runs/{run}/adoptions?content=1").json()
    assert len(answer["events"]) == len(events)
    assert answer["is_analysed"]


def test_each_link_of_an_adoption_leads_to_a_page(client: Client) -> None:
    run = address(client, "magpie")
    page = client.get(f"/runs/{run}/adoptions").text
    links = {link.partition("#")[0] for link in re.findall(r'<li>.*?href="([^"]+)"', page)}
    ours = {link for link in links if "/trace" not in link and link.startswith("/runs/")}
    assert ours
    for link in ours:
        assert client.get(link.replace("&amp;", "&")).status == 200, link


def test_a_generation_tells_gates_items_edits_and_accesses(client: Client) -> None:
    page = client.get(f"/runs/{address(client, 'magpie')}/agents/magpie/generations/3").text
    for told in (
        "Gates: compile",
        "Train items:",
        "Validation items:",
        "Edits in time",
        "Accesses",
    ):
        assert told in page
    assert "test-0" not in page, "labels of the test split are nobody's before the end"


def test_a_generation_tells_whom_it_adopted_from_and_what_detectors_found(
    client: Client, results: Path
) -> None:
    analysis = analyse(read_run(run_of(results, "tinker")))
    run = address(client, "magpie")
    event = next(e for e in analysis.adoptions if e.rule == "causal" and e.verdict == "adopted")
    page = client.get(f"/runs/{run}/agents/{event.agent}/generations/{event.generation}").text
    before, _, section = page.partition('id="adoptions"')
    assert 'id="changes"' not in before  # what it adopted stands above what changed
    assert event.strategy.rpartition("/")[2] in section
    assert "adopted" in section
    for finding in analysis.findings.findings[:3]:
        place = f"/runs/{run}/agents/{finding.agent}/generations/{finding.generation}"
        assert 'id="findings"' in client.get(place).text


def test_the_guard_tells_what_the_audit_tells_with_diffs(client: Client, results: Path) -> None:
    run = address(client, "prober")
    audit = read_audit(run_of(results, "prober"))
    page = client.get(f"/runs/{run}/guard").text
    assert page.count('class="guarded"') == len(audit.refused) + len(audit.denied)
    assert audit.head in page
    assert "+++ after" in page
    only = client.get(f"/runs/{run}/guard?agent=prober&kind=edit-scope&verdict=reverted").text
    reverted = sum(line["verdict"] == "reverted" for line in audit.refused)
    assert only.count('class="guarded"') == reverted
    answer = client.get(f"/api/runs/{run}/audit").json()
    assert (answer["head"], answer["verified"]) == (audit.head, True)
    assert not any(each["record"]["evidence"] for each in answer["records"])


def test_a_file_that_was_changed_since_is_told_to_have_got_through(
    results: Path, tmp_path: Path
) -> None:
    run = copied(run_of(results, "tinker"), tmp_path / "results" / "copy" / "seed42")
    (run / "tinker" / "gen_1" / "repo" / "task_agent.py").write_text("stolen = True\n")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        page = client.get(f"/runs/{address(client, 'copy')}/guard").text
    assert "Got through, or changed since" in page
    assert "tinker gen 1: repo/task_agent.py was changed" in page


def test_a_redacted_run_stays_redacted_and_says_so(results: Path, tmp_path: Path) -> None:
    packed = tmp_path / "run.tar.gz"
    done = hyperspace("export", run_of(results, "tinker"), "--redact", "--out", packed)
    assert done.returncode == 0, done.stderr
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path / "results", filter="data")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        run = address(client, "magpie")
        page = client.get(f"/runs/{run}/guard").text
        adoptions = client.get(f"/runs/{run}/adoptions").text
    assert "redacted since they were closed" in page
    assert "cat /workspace/strategies" not in adoptions
