"""Fleets played to the end: the example of the docs, the control arms, agents at their own pace."""

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, hyperspace, kill_at
from tests.support.runs.fleet_files import fleet_file
from tests.support.runs.played import FREIGHT, ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

EXAMPLE = ROOT / "docs" / "examples" / "fleet.toml"
ADOPTER = "offline/adopter?eagerness=1&picky=0"


def described(folder: Path, head: str, *agents: str) -> Path:
    """A fleet's file on the foreign task."""
    return fleet_file(folder / "fleet.toml", head, *agents, name="f", domain=FREIGHT)


def fleet(config: Path, results: Path, *options: str) -> list[Any]:
    """Play a fleet's runs to the end; one result each."""
    done = hyperspace(
        "fleet", "--config", config, "--results", results, *options, "--json", cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return told.get("runs", [told])


def metadata(run: Path) -> dict[tuple[str, int], Any]:
    """What is on record of each generation, by agent and number."""
    return {
        (path.parts[-3], int(path.parts[-2].removeprefix("gen_"))): json.loads(path.read_text())
        for path in run.glob("*/gen_*/metadata.json")
    }


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Any:
    (result,) = fleet(EXAMPLE, tmp_path_factory.mktemp("example"), "--seed", "1")
    return result


def test_the_example_of_the_docs_shares_across_three_agents(example: Any) -> None:
    assert [agent["name"] for agent in example["agents"]] == ["tinker", "magpie", "eager"]
    adopted = {(event["agent"], event["peer"]) for event in example["adoptions"]}
    assert ("magpie", "eager") in adopted
    assert Path(example["run"]).parts[-3:] == ("repo_quality", "three", "seed1")


def test_a_watch_tells_what_became_of_each_agent(example: Any) -> None:
    done = hyperspace("watch", example["run"], "--json", "--after", "0")
    assert done.returncode == 0, done.stderr
    *events, present = map(json.loads, done.stdout.splitlines())
    told = [(e["agent"], e["strategy"]) for e in events if e["event"] == "adoption"]
    assert told == [(event["agent"], event["strategy"]) for event in example["adoptions"]]
    assert [row["budget"] for row in present["rows"]] == [3, 3, 2]
    scores = {agent["name"]: agent["test"] for agent in example["agents"]}
    assert {row["agent"]: row["test_score"] for row in present["rows"]} == scores


@needs_bubblewrap
def test_the_example_has_the_digest_that_the_page_says(example: Any) -> None:
    assert f"digest {example['digest']}" in (ROOT / "docs" / "guide" / "fleets.md").read_text()


def test_an_agent_plays_its_budget_and_stays_in_sight_of_the_others(example: Any) -> None:
    found = metadata(Path(example["run"]))
    assert {agent: max(n for a, n in found if a == agent) for agent, _ in found} == {
        "tinker": 3,
        "magpie": 3,
        "eager": 2,
    }
    assert "eager" in {one["agent"] for one in found["tinker", 3]["shown"]}


def test_code_outside_an_agents_scope_stays_the_seeds(example: Any) -> None:
    run = Path(example["run"])
    codes = {(run / "eager" / f"gen_{n}" / "repo" / "meta_agent.py").read_text() for n in range(3)}
    assert len(codes) == 1
    assert hyperspace("audit", run).returncode == 0


def test_a_finished_fleet_does_no_work_and_another_file_is_refused(
    example: Any, tmp_path: Path
) -> None:
    run = Path(example["run"])
    results = run.parents[2]
    again = hyperspace("resume", run)
    assert "no work was done" in again.stdout
    other = tmp_path / "other.toml"
    other.write_text(EXAMPLE.read_text().replace('"best"', '"top"'))
    command = ("fleet", "--config", other, "--seed", "1", "--results", results)
    message = failed(hyperspace(*command), 2)
    assert "fleet.sharing.show='best'" in message
    assert "fleet.sharing.show='top'" in message


@pytest.fixture(scope="module")
def controls(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    folder = tmp_path_factory.mktemp("controls")
    bloater = 'model = "offline/bloater"'  # its code is like nobody's after one generation
    config = described(folder, "generations = 2", f'model = "{ADOPTER}"', bloater)
    arms = ("sharing", "none", "placebo")
    options = ("--arms", ",".join(arms), "--trust", "--seed", "3")
    return dict(zip(arms, fleet(config, folder / "results", *options), strict=True))


def test_without_sharing_nobody_ever_sees_a_peer(controls: Mapping[str, Any]) -> None:
    found = metadata(Path(controls["none"]["run"]))
    assert len(found) == 6
    assert all(one["seen"] == [] == one["shown"] for one in found.values())


def test_a_placebo_shows_as_much_and_only_what_is_ones_own(controls: Mapping[str, Any]) -> None:
    found = {arm: metadata(Path(controls[arm]["run"])) for arm in ("sharing", "placebo")}
    for (agent, number), one in found["placebo"].items():
        assert len(one["shown"]) == len(found["sharing"][agent, number]["shown"]) == bool(number)
        assert all(shown["agent"] == agent for shown in one["shown"])
        assert all(shown["folder"].startswith("peer_1_gen") for shown in one["shown"])


def test_adoption_is_found_where_there_is_sharing_and_on_no_control(
    controls: Mapping[str, Any],
) -> None:
    assert {arm: bool(result["adoptions"]) for arm, result in controls.items()} == {
        "sharing": True,
        "none": False,
        "placebo": False,
    }
    assert {Path(result["run"]).parts[-2] for result in controls.values()} == {
        "f",
        "f_none",
        "f_placebo",
    }


def test_the_analysis_of_all_arms_finds_what_went_over_in_the_sharing_one_alone(
    controls: Mapping[str, Any],
) -> None:
    done = hyperspace("analyze", Path(controls["sharing"]["run"]).parents[1], "--json")
    runs = {run["pairing"]: run for run in json.loads(done.stdout)["runs"]}
    assert set(runs) == {"f", "f_none", "f_placebo"}
    events = {name: run["adoptions"] for name, run in runs.items()}
    verdicts = {name: {e["verdict"] for e in found} for name, found in events.items()}
    assert "adopted" in verdicts["f"]
    assert verdicts["f_none"] | verdicts["f_placebo"] <= {"coincident"}
    assert [bool(run["transfers"]) for run in runs.values()] == [True, False, False]


def cursors(run: Path) -> dict[str, bytes]:
    return {
        f"{path.parts[-3]}/{path.parts[-2]}": path.read_bytes()
        for path in run.glob("*/gen_*/cursor.json")
    }


def killed(config: Path, results: Path, position: str, *options: str) -> None:
    """Start a fleet and kill it at a position."""
    log = results.with_name(f"{results.name}.log")
    arguments = ("--config", config, "--results", results, "--trust", *options)
    done = kill_at(log, position, "fleet", *arguments)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_agents_at_their_own_pace_are_killed_go_on_and_replay_to_one_digest(
    tmp_path: Path,
) -> None:
    config = described(
        tmp_path, 'schedule = "concurrent"\ngenerations = 2', f'model = "{ADOPTER}"\ncount = 2'
    )
    killed(config, tmp_path / "results", "adopter_b:1:call:2")
    run = tmp_path / "results" / "freight" / "f" / "seed42"
    begun = (run / "adopter_b" / ".gen_1" / "cursor.json").read_bytes()
    (run / "adopter" / "gen_0" / "cursor.json").unlink()  # the space has it, and it comes back
    (result,) = fleet(config, tmp_path / "results", "--trust")
    kept = cursors(run)
    assert len(kept) == 6
    assert kept["adopter_b/gen_1"] == begun
    replayed = hyperspace(*("replay", run, "--domain", FREIGHT, "--trust", "--json"), cwd=ROOT)
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["digest"] == result["digest"] == digest(run)
