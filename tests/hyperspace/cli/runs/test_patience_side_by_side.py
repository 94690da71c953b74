"""`--patience` where generations are made side by side: it ends the run, killed or not."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.command import hyperspace, kill_at

pytestmark = pytest.mark.long

LANES: Final = 3
PATIENCE: Final = 4
MOST: Final = 30


def arguments(results: Path) -> list[str]:
    played = ("--model", "offline/climber?trials=2", "--domain", "repo_quality")
    numbers = ("--iterations", str(MOST), "--lanes", str(LANES), "--patience", str(PATIENCE))
    return ["solo", *played, *numbers, "--no-controls", "--results", str(results)]


def fleet(folder: Path) -> list[str]:
    """A fleet whose agents have no turns, of which one never changes anything."""
    file = folder / "fleet.toml"
    agents = "".join(
        f'[[agents]]\nmodel = "offline/{policy}"\n' for policy in ("tinker", "stuck", "tinker")
    )
    file.write_text(
        f'name = "f"\ndomain = "repo_quality"\ngenerations = {MOST}\n'
        f'schedule = "concurrent"\n{agents}'
    )
    ended = ("--patience", str(PATIENCE), "--results", str(folder / "results"))
    return ["fleet", "--config", str(file), *ended]


def ended(*words: str | Path) -> Any:
    """Check that a run ends by its patience, is replayed to its digest, and passes the audit."""
    done = hyperspace(*words, "--json", timeout_s=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["ended"]["reason"], result["ended"]["value"]) == ("patience", PATIENCE)
    replayed = hyperspace("replay", result["run"], "--json")
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["digest"] == result["digest"]
    audited = hyperspace("audit", result["run"], "--kind", "end")
    assert audited.returncode == 0, audited.stderr
    again = hyperspace("resume", result["run"], "--json")
    assert json.loads(again.stdout)["digest"] == result["digest"]
    return result


def bests(run: Path) -> dict[str, list[int]]:
    """Of each agent: the last generation that was a new best, and the last of all."""
    found = dict[str, list[int]]()
    for path in run.glob("*/archive.jsonl"):
        entries = [json.loads(line) for line in path.read_text().splitlines()]
        scores = [entry["fitness"] if entry["valid"] else -1.0 for entry in entries]
        found[path.parent.name] = [scores.index(max(scores)), len(entries) - 1]
    return found


@pytest.mark.parametrize("position", ["", "event:150"])
def test_several_children_of_one_agent_end_where_nobody_gets_better(
    position: str, tmp_path: Path
) -> None:
    if position:
        killed = kill_at(tmp_path / "log", position, *arguments(tmp_path / "results"))
        assert killed.returncode == -9, killed.stderr
    result = ended(*arguments(tmp_path / "results"))
    ((best, last),) = bests(Path(result["run"])).values()
    # Those that were begun when it was found out are finished, and no more.
    assert PATIENCE <= last - best < PATIENCE + 4 * LANES
    assert last < MOST


@pytest.mark.parametrize("position", ["", "tinker:2:publish"])
def test_agents_at_their_own_pace_end_where_nobody_gets_better(
    position: str, tmp_path: Path
) -> None:
    words = fleet(tmp_path)
    if position:
        killed = kill_at(tmp_path / "log", position, *words)
        assert killed.returncode == -9, killed.stderr
    result = ended(*words)
    for best, last in bests(Path(result["run"])).values():
        assert last == MOST or last - best >= PATIENCE
    assert [*result.get("nothing", {})] == ["stuck"]
