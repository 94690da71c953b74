"""`best/`: the best code of a run of each kind, made again whatever becomes of it."""

import hashlib
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.command import hyperspace, pair

pytestmark = pytest.mark.long

SOLO: Final = ("solo", "--model", "offline/climber?trials=5", "--domain", "repo_quality")
FLEET: Final = """
name = "f"
domain = "repo_quality"
generations = {generations}
[[agents]]
model = "offline/tinker"
count = 2
[[agents]]
model = "offline/magpie"
"""


def play(kind: str, folder: Path, generations: int) -> Any:
    """Play a run of a kind, or go on with it."""
    results = folder / "results"
    if kind == "pair":
        return pair(results, generations=generations)
    if kind == "fleet":
        file = folder / "fleet.toml"
        file.write_text(FLEET.format(generations=generations))
        words: tuple[str | Path, ...] = ("fleet", "--config", file)
    else:
        words = (*SOLO, "--iterations", str(generations), "--no-controls")
    done = hyperspace(*words, "--results", results, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def archives(run: Path) -> dict[str, list[Any]]:
    lines = {
        path.parent.name: path.read_text().splitlines() for path in run.glob("*/archive.jsonl")
    }
    return {agent: [json.loads(line) for line in each] for agent, each in lines.items()}


def check_best(result: Any) -> Any:
    """Hold `best/` against the archives of a run; returns its score."""
    run = Path(result["run"])
    score = json.loads((run / "best/score.json").read_bytes())
    entries = {
        (agent, n): entry
        for agent, each in archives(run).items()
        for n, entry in enumerate(each)
        if entry["valid"]
    }
    assert score["fitness"] == max(entry["fitness"] for entry in entries.values())
    own = entries[score["agent"], score["generation"]]
    assert (own["fitness"], own["val_score"]) == (score["fitness"], score["val_score"])
    assert score["digest"] == result["digest"]
    at = run / score["code"]
    code = {path.relative_to(at): path.read_bytes() for path in at.rglob("*") if path.is_file()}
    there = run / "best/repo"
    assert code == {p.relative_to(there): p.read_bytes() for p in there.rglob("*") if p.is_file()}
    hashes = {f"repo/{path}": hashlib.sha256(data).hexdigest() for path, data in code.items()}
    assert score["files"] == dict(sorted(hashes.items()))
    metadata = {
        n: json.loads((run / score["agent"] / f"gen_{n}/metadata.json").read_bytes())
        for n in range(score["generation"] + 1)
    }
    chain = [each["generation"] for each in score["ancestry"]]
    assert (chain[0], chain[-1]) == (score["generation"], 0)
    for ancestor, before in zip(score["ancestry"], chain[1:], strict=False):
        record = metadata[ancestor["generation"]]
        assert record.get("forked_from", record["parent"]) == ancestor["forked_from"] == before
        assert record["val_score"] == ancestor["val_score"]
    assert {each["agent"] for each in score["agents"]} == set(archives(run))
    return score


@pytest.mark.parametrize("kind", ["pair", "fleet", "solo"])
def test_it_is_the_best_of_all_agents_and_follows_a_run_that_is_extended(
    kind: str, tmp_path: Path
) -> None:
    result = play(kind, tmp_path, 1)
    check_best(result)
    longer = play(kind, tmp_path, 4)
    assert longer["run"] == result["run"]
    score = check_best(longer)
    best = Path(longer["run"]) / "best"
    kept = {path: path.read_bytes() for path in best.rglob("*") if path.is_file()}
    shutil.rmtree(best)
    assert hyperspace("audit", best.parent).returncode == 0  # a view may be missing
    again = hyperspace("resume", best.parent, "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["digest"] == longer["digest"] == score["digest"]
    assert {path: path.read_bytes() for path in best.rglob("*") if path.is_file()} == kept


@pytest.mark.parametrize("options", [(), ("--redact",)])
def test_it_is_exported_with_its_run(options: tuple[str, ...], tmp_path: Path) -> None:
    result = play("pair", tmp_path, 2)
    target = tmp_path / "run.tar.gz"
    done = hyperspace("export", result["run"], "--out", target, *options)
    assert done.returncode == 0, done.stderr
    with tarfile.open(target) as packed:
        for name in ("score.json", "repo/task_agent.py"):
            (member,) = (each for each in packed.getnames() if each.endswith(f"/best/{name}"))
            file = packed.extractfile(member)
            assert file is not None
            assert file.read() == (Path(result["run"]) / "best" / name).read_bytes()
