"""Policies on tasks that publish their scorer: the score decides, not labels."""

import json
from pathlib import Path

import pytest

from hyperspace.offline.registry import get
from tests.support.runs.simulation import converse
from tests.support.tasks.scored_tasks import OFFSETS, ROUTES, ScoredTask, say, write_version

BETTER = OFFSETS.seed.replace("OFFSET = 0", "OFFSET = 3").replace("SLOPE = 0.0", "SLOPE = 1.0")


def best(task: ScoredTask, folder: Path, policy: str, generations: int, **options: str) -> float:
    codes = task.evolve(get(policy, options), folder, generations)
    return max(map(task.value, codes))


LONG = [pytest.param(name, marks=pytest.mark.long) for name in ("breeder", "mender", "magpie")]


@pytest.mark.long
@pytest.mark.parametrize("policy", ["mutator", "climber", "tinker", *LONG])
def test_numbers_leave_zero(policy: str, tmp_path: Path) -> None:
    assert best(OFFSETS, tmp_path, policy, 3, trials="24") > OFFSETS.value(OFFSETS.seed) + 0.2


@pytest.mark.long
@pytest.mark.parametrize("policy", ["mutator", "climber", "breeder"])
def test_a_list_of_steps_is_cut_and_sorted(policy: str, tmp_path: Path) -> None:
    assert best(ROUTES, tmp_path, policy, 3, trials="24") > ROUTES.value(ROUTES.seed) + 0.05


@pytest.mark.long
def test_the_repertoire_of_lists_changes_lists_alone(tmp_path: Path) -> None:
    codes = ROUTES.evolve(get("mutator", {"repertoire": "lists"}), tmp_path, 4)
    assert max(map(ROUTES.value, codes)) > ROUTES.value(ROUTES.seed) + 0.1
    assert codes[-1].partition("\n]\n")[2] == ROUTES.seed.partition("\n]\n")[2]


@pytest.mark.long
def test_code_and_words_that_do_not_count_yet_are_kept(tmp_path: Path) -> None:
    words = 'WORDS = [("near", "far", 0), ("high", "low", 0)]\n'
    spare = "def spare(x):\n    for step in (1, 2):\n        x += step * 3\n    return x\n"
    parameters = "REACH = 40\nSTEPS = {'up': (0, -1), 'down': (0, 1)}\n"
    code = BETTER.replace("-0.5", "0.4").replace("1.0", "1.5")
    code += f"\n\n{words}{parameters}\n\n{spare}"
    task = OFFSETS._replace(seed=code)
    codes = task.evolve(get("climber", {"trials": "60"}), tmp_path, 3)
    assert len({*codes}) > 1
    for varied in codes:
        assert parameters in varied
        assert spare in varied
        assert all(varied.count(word) == 1 for word in ("near", "far", "high", "low"))


@pytest.mark.long
@pytest.mark.parametrize(("task", "policy"), [(ROUTES, "climber"), (OFFSETS, "tinker")])
def test_equal_seeds_give_equal_code(task: ScoredTask, policy: str, tmp_path: Path) -> None:
    first, again = (
        task.evolve(get(policy, {"trials": "12"}), tmp_path / name, 2) for name in ("a", "b")
    )
    other = task.evolve(get(policy, {"trials": "12"}), tmp_path / "c", 2, seed=2)
    assert first == again != other


@pytest.mark.long
def test_a_breeder_takes_what_scores_better(tmp_path: Path) -> None:
    space = tmp_path / "space"
    OFFSETS.lay_out(space, [OFFSETS.seed])
    write_version(space / "strategies" / "peer_gen3", BETTER, 3, OFFSETS.value(BETTER), "peer")
    said = converse(get("breeder", {"trials": "4"}), space, 1)
    assert (space / "task_agent.py").read_text() == BETTER
    assert "I recombined my code with" in said.closing


@pytest.mark.long
def test_a_magpie_steps_towards_the_constants_of_a_peer(tmp_path: Path) -> None:
    own, peer = (
        OFFSETS.seed.replace("BEND = -0.5", f"BEND = {bend}").replace("= 0", "= 3")
        for bend in ("0.1", "0.4")
    )
    space = tmp_path / "space"
    OFFSETS.lay_out(space, [own])
    write_version(space / "strategies" / "peer_gen3", peer, 3, 0.0, "peer")
    converse(get("magpie", {"trials": "30"}), space, 2)
    assert OFFSETS.value((space / "task_agent.py").read_text()) > OFFSETS.value(own)


@pytest.mark.long
def test_the_score_of_labels_is_not_asked_where_there_is_a_scorer(tmp_path: Path) -> None:
    upside_down = OFFSETS._replace(score="def score(inputs, prediction): return float(prediction)")
    said = say(get("climber", {}), upside_down, tmp_path / "space")
    assert said.closing.startswith("I changed the code: mean loss ")
    assert upside_down.value((tmp_path / "space" / "task_agent.py").read_text()) > 5


@pytest.mark.long
def test_a_mender_mends_what_fails_before_it_scores(tmp_path: Path) -> None:
    space = tmp_path / "space"
    broken = OFFSETS.seed.replace("OFFSET = 0\n", "")
    OFFSETS.lay_out(space, [OFFSETS.seed])
    (space / "task_agent.py").write_text(broken)
    write_version(space / "evals" / "gen_1", broken, 1, 0.0)
    report = {"generation": 1, "valid": False, "error": "name OFFSET is not defined"}
    (space / "evals" / "gen_1" / "metadata.json").write_text(json.dumps(report))
    assert "mended: name OFFSET" in converse(get("mender", {}), space, 1).closing
    assert "OFFSET = 0" in (space / "task_agent.py").read_text()


@pytest.mark.long
def test_a_task_that_takes_long_is_searched_within_its_cpu_seconds(tmp_path: Path) -> None:
    slow = OFFSETS.seed.replace("        x =", "        sum(range(1_500_000))\n        x =")
    task = OFFSETS._replace(seed=slow)
    said = say(get("climber", {"cpu_s": "1"}), task, tmp_path / "space")
    assert "mean loss" in said.closing
    assert " on 4 items" in said.closing


def test_the_repertoire_of_lists_is_there_without_a_scorer_too(tmp_path: Path) -> None:
    space = tmp_path / "space"
    code = 'WORDS = ["no", "yes"]\n\n\nclass TaskAgent:\n    def __init__(self, model): ...\n'
    code += "    def forward(self, inputs):\n        return WORDS[0], []\n"
    OFFSETS.lay_out(space, [OFFSETS.seed])
    (space / "task" / "score.py").unlink()
    (space / "task_agent.py").write_text(code)
    (space / "evals" / "train_items.jsonl").write_text('{"inputs": {}, "label": "yes"}')
    converse(get("mutator", {"repertoire": "lists"}), space, 1)
    assert (space / "task_agent.py").read_text() != code


@pytest.mark.long
def test_nothing_of_a_scorer_is_sent_where_items_have_labels(tmp_path: Path) -> None:
    space = tmp_path / "space"
    OFFSETS.lay_out(space, [OFFSETS.seed])
    (space / "evals" / "train_items.jsonl").write_text('{"inputs": {"x": 1}, "label": "3"}')
    for policy in ("climber", "tinker", "mender"):
        said = converse(get(policy, {"trials": "2"}), space, 1)
        assert not any("score.py" in call or "cpu_s" in call for call in said.calls)


@pytest.mark.long
def test_a_tuner_without_labels_and_without_a_scorer_says_so(tmp_path: Path) -> None:
    space = tmp_path / "space"
    OFFSETS.lay_out(space, [OFFSETS.seed])
    (space / "task" / "score.py").unlink()
    assert "FileNotFoundError" in converse(get("tinker", {}), space, 1).closing
    assert "FileNotFoundError" in converse(get("tinker", {}), space, 1).closing
