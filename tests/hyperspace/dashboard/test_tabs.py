"""A run has tabs for what it can hold; the other addresses say why there is nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyperspace.dashboard.bundle.write import write_bundle
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import new_record, working
from hyperspace.options.solo import SoloTerms
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.own_run import write_own_run
from tests.support.hostile.research_run import write_research_run
from tests.support.runs.published_runs import Generation, write_run

EVERY = ["Run", "Spending", "Adoptions", "Lineage", "Guard", "Search", "Marks", "Steer"]
OF_PUBLISHED = ["Run", "Adoptions", "Lineage", "Search", "Live review"]
TABS = {
    "own/seed7": [*EVERY, "Live review"],
    "lost_record/seed7": [*EVERY, "Live review"],
    "solo/seed1": [tab for tab in [*EVERY, "Live review"] if tab != "Adoptions"],
    "published/seed1": OF_PUBLISHED,
    "published_alone/seed1": [tab for tab in OF_PUBLISHED if tab != "Adoptions"],
    "research/seed7": ["Run"],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("results")
    write_own_run(results / "own/seed7")
    (write_own_run(results / "lost_record/seed7") / "run_config.json").unlink()
    write_solo_run(results / "solo/seed1")
    rows = [Generation("X = 1\n", 0.25), Generation("X = 2\n", 0.5)]
    write_run(results / "published/seed1", {"one": rows, "two": rows})
    write_run(results / "made", {"alone": rows})
    (results / "published_alone").mkdir()
    (results / "made/alone").rename(results / "published_alone/seed1")
    (results / "made").rmdir()
    write_research_run(results / "research/seed7")
    return results


def write_solo_run(folder: Path) -> None:
    config = RunConfig(
        kind="solo",
        domain="repo_quality",
        data_sha256="",
        models=("offline/tinker",),
        agents=("tinker",),
        eval_model=None,
        generations=3,
        seed=1,
        solo=SoloTerms(experiment="e", arm="a"),
    )
    with working(RunFolder(folder), new_record(config, "bubblewrap", ("hyperspace",))):
        pass


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with dashboard(results, tmp_path_factory.mktemp("cache")) as client:
        yield client


def tabs(page: str) -> list[str]:
    """The labels of the navigation of a run."""
    navigation = page.partition('<nav aria-label="this run">')[2].partition("</nav>")[0]
    return re.findall(r"<a [^>]*>([^<]*)</a>", navigation)


def run_ids(client: Client) -> dict[str, str]:
    return {run["name"]: run["id"] for run in client.get("/api/runs").json()["runs"]}


def test_a_run_has_tabs_for_what_it_can_hold(client: Client) -> None:
    shown = {name: tabs(client.get(f"/runs/{run}").text) for name, run in run_ids(client).items()}
    assert {name: sorted(labels) for name, labels in shown.items()} == {
        name: sorted(labels) for name, labels in TABS.items()
    }


def test_addresses_without_a_tab_say_why_there_is_nothing(client: Client) -> None:
    for name, run in run_ids(client).items():
        for view in VIEWS:
            if view.label and view.label not in TABS[name]:
                answer = client.get(view.path.replace("{run}", run))
                assert answer.status == 404 and 'class="note"' in answer.text, (name, view.name)
                assert tabs(answer.text) != [], "the way back is there"
    published = run_ids(client)["published/seed1"]
    for below in ("spending", "audit", "marks", "steering"):
        answer = client.get(f"/api/runs/{published}/{below}")
        assert answer.status == 404 and "not played by hyperspace" in answer.json()["error"]
    alone = client.get(f"/runs/{run_ids(client)['solo/seed1']}/adoptions")
    assert "one agent is alone in this run" in alone.text


def test_a_copy_has_no_tab_for_what_needs_a_server(results: Path, tmp_path: Path) -> None:
    write_bundle(results / "published/seed1", tmp_path / "copy")
    shown = tabs((tmp_path / "copy/index.html").read_text())
    assert shown == [tab for tab in OF_PUBLISHED if tab != "Search"]
