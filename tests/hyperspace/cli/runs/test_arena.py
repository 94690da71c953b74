"""`hyperspace arena`: whole runs, killed anywhere, replayed, with testers that mean no good."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from hyperspace.extensions.arena.finished import best_solver, standing_cases
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.state.cases import JudgedCase, RoundResult
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Manifest
from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.scopes import CASES
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.cases import HasOracle
from markspace import Action, MarkType, Observation
from tests.support.command import failed, finished, hyperspace, kill_at, saying

pytestmark = pytest.mark.long

TASK: Final = ("--task", "email_validation", "--eval-samples", "10")
SOLVERS: Final = ("--models", "offline/climber?trials=6&restarts=1", "offline/mutator?trials=2")
TESTERS: Final = ("--tester-models", "offline/tester?most=4", "offline/tester?manner=foul")
SIZE: Final = ("--solvers", "2", "--testers", "2", "--rounds", "3", "--replace-every", "1")
STEPS: Final = ("look", "modify", "ingest", "evaluate", "publish", "commit", "report")
FALL: Final = "Notice"  # in a round the first is that somebody falls
BORN: Final = "BORN"  # stands for the first child
DOMAIN: Final = load("email_validation", data=None, run_seed=42)


def arena(results: Path, *options: str, size: tuple[str, ...] = SIZE) -> Path:
    done = hyperspace("arena", *saying((*TASK, *size), options), "--results", results, "--json")
    finished(done)
    return Path(json.loads(done.stdout)["run"])


def manifests(run: Path) -> list[Manifest]:
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        return [closing.manifest for closing in every_closing(marks, config.agents)]


def judged(run: Path) -> list[JudgedCase]:
    return [case for manifest in manifests(run) for case in manifest.cases]


def rounds(run: Path) -> dict[int, RoundResult]:
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        stored = marks.space.read(CASES, mark_type=MarkType.ACTION, min_strength=0.0)
        results = {m.resource: convert(RoundResult, m.result) for m in stored if type(m) is Action}
    return {int(name.removeprefix("round/")): result for name, result in results.items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return arena(tmp_path_factory.mktemp("arena"), *SOLVERS, *TESTERS)


def test_every_standing_case_agrees_with_the_reference_and_is_no_duplicate(run: Path) -> None:
    assert isinstance(DOMAIN, HasOracle)
    cases = standing_cases(run)
    assert len(cases) == len([case for case in judged(run) if case.stands]) > 4
    forms = [DOMAIN.normal_form(case.inputs) for case in cases]
    assert len({*forms}) == len(forms)
    for case in cases:
        assert DOMAIN.decide(case.inputs) == (case.label, case.kind)


def test_a_hostile_tester_is_refused_for_what_is_wrong_with_its_cases(run: Path) -> None:
    refused = Counter(case.verdict for case in judged(run) if not case.stands)
    told = refused["wrong"] + refused["near_duplicate"] + refused["malformed"]
    assert told >= 0.3 * sum(refused.values())
    assert refused.keys() >= {"wrong", "near_duplicate", "malformed", "too_long"}
    assert all(case.reason for case in judged(run) if not case.stands)


def test_cases_are_observations_in_their_scope_and_sealed(run: Path) -> None:
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        stored = marks.space.read(CASES, mark_type=MarkType.OBSERVATION, min_strength=0.0)
        kept = [convert(JudgedCase, m.content) for m in stored if isinstance(m, Observation)]
        authors = {mark.scope: mark.agent_id for mark in stored}
        assert all(id_ == marks.author(scope.split("/")[1]) for scope, id_ in authors.items())
    assert sorted(kept, key=lambda c: c.id) == sorted(judged(run), key=lambda c: c.id)
    solver = next(path for path in run.glob("solver1/gen_*/repo"))
    assert not list(solver.glob("**/cases*"))


def test_scores_are_what_the_closings_say(run: Path) -> None:
    results, config = rounds(run), read_record_of(run).configuration
    assert [*results] == [0, 1, 2, 3]
    by_turn = {(m.agent, m.generation): m for m in manifests(run)}
    solvers = [a for a in config.agents if a in results[1].solvers]
    standing = [c.id for a in ("tester1", "tester2") for c in by_turn[a, 1].cases if c.stands]
    assert [*results[1].suite] == standing
    for tester, score in results[1].testers.items():
        cases = by_turn[tester, 1].cases
        shares = list[float]()
        for case in (c for c in cases if c.stands):
            came = [by_turn[agent, 1].rescored for agent in solvers]
            answers = [again.val.predictions for again in came if again and again.val]
            shares.append(sum(a.get(case.id) != case.label for a in answers) / len(solvers))
        mean = sum(shares) / len(shares) if shares else 0.0
        assert score == pytest.approx(mean * len(shares) / len(cases) if cases else 0.0)


def test_the_worst_fall_and_children_of_the_best_take_their_places(run: Path) -> None:
    results, config = rounds(run), read_record_of(run).configuration
    changes = [(n, change) for n, result in results.items() for change in result.successions]
    assert changes
    for number, change in changes:
        fork = config.fork_of(change.child)
        assert fork is not None
        assert (fork.source, fork.replaces, fork.joined) == (change.parent, change.falls, number)
        role = "solvers" if change.child.startswith("solver") else "testers"
        scores: dict[str, float] = getattr(results[number], role)
        assert scores[change.parent] == max(scores.values())
        assert scores[change.falls] == min(scores.values())
        assert change.falls not in getattr(results[number + 1], role)
        assert change.child in getattr(results[number + 1], role)
        model = dict(zip(config.agents, config.models, strict=True))
        assert model[change.child] == model[change.falls]


def test_a_testers_child_goes_about_its_work_in_another_way(run: Path) -> None:
    children = [f for f in read_record_of(run).configuration.forks if f.agent.startswith("tester")]
    assert children
    for child in children:
        own = (run / child.agent / "gen_0" / "repo" / "meta_agent.py").read_text()
        parent = (run / child.source / "gen_0" / "repo" / "meta_agent.py").read_text()
        assert own != parent
        assert own.replace(_strategy(own), "") == parent.replace(_strategy(parent), "")


def _strategy(code: str) -> str:
    return next(line for line in code.splitlines() if line.startswith("STRATEGY"))


def test_a_solver_sees_failed_cases_of_earlier_rounds_and_no_others(run: Path) -> None:
    trace = (run / "solver1" / "gen_2" / "llm_calls.jsonl").read_text().splitlines()
    first: dict[str, Any] = json.loads(trace[0])
    prompt = str(first["messages"][0]["content"])
    of_round = {
        number: [c for m in manifests(run) for c in m.cases if c.id.split("-")[1] == str(number)]
        for number in (1, 2)
    }
    old, new = (
        [canonical_json({"inputs": c.inputs})[1:-1].decode() for c in of_round[n] if c.stands]
        for n in (1, 2)
    )
    assert any(inputs in prompt for inputs in old)
    assert new
    assert not any(inputs in prompt for inputs in new)


def test_the_best_solver_ends_with_its_kept_code(run: Path) -> None:
    best = best_solver(run)
    last = rounds(run)[3].solvers
    assert best.val_score == max(last.values())
    assert (
        best.code["task_agent.py"]
        == (run / best.agent / f"gen_{best.generation}" / "repo" / "task_agent.py").read_text()
    )


def test_a_replay_ends_in_the_same_digest(run: Path) -> None:
    done = hyperspace("replay", run, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["same"]
    assert hyperspace("audit", run).returncode == 0


@pytest.mark.parametrize(
    "positions",
    [
        ("tester2:1:commit", "solver1:1:item:val:8", FALL, f"{BORN}:0:report"),
        pytest.param(
            (
                *(f"{agent}:1:{step}" for agent in ("tester2", "solver1") for step in STEPS),
                *("solver2:1:call:1", "solver2:1:item:val:8", FALL),
                *(f"{BORN}:0:{step}" for step in ("look", "commit", "report")),
            ),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_killed_in_a_round_it_ends_the_same(
    run: Path, tmp_path: Path, positions: tuple[str, ...]
) -> None:
    log, options = tmp_path / "log", (*TASK, *SIZE, *SOLVERS, *TESTERS)
    born = next(f.agent for f in read_record_of(run).configuration.forks if f.joined == 1)
    for position in positions:
        at = position.replace(BORN, born)
        done = kill_at(log, at, "arena", *options, "--results", tmp_path)
        assert done.returncode == -9, at
    again = arena(tmp_path, *SOLVERS, *TESTERS)
    assert digest(again) == digest(run)
    assert rounds(again) == rounds(run)
    assert hyperspace("audit", again).returncode == 0


def test_a_budget_ends_the_search_on_its_call_and_tests_the_best(tmp_path: Path) -> None:
    small = ("--solvers", "1", "--testers", "1")
    ended = arena(tmp_path, "--budget", "7calls", *SOLVERS[:2], size=small)
    closings = [m for m in manifests(ended) if m.generation != "test"]
    assert sum(len(m.calls) for m in closings) == 7
    assert sum(m.error_class == "budget" for m in closings) <= 2
    assert best_solver(ended).agent == "solver1"
    done = hyperspace("replay", ended, "--json")
    assert json.loads(done.stdout)["same"]


def test_testers_that_propose_nothing_are_tied_and_nobody_falls(tmp_path: Path) -> None:
    idle = ("--models", "offline/idler", "--tester-models", "offline/idler", "--rounds", "2")
    quiet = arena(tmp_path, *idle)
    assert judged(quiet) == []
    assert all(not result.successions for result in rounds(quiet).values())
    assert {*rounds(quiet)[2].testers.values()} == {0.0}
    assert rounds(quiet)[2].suite == ()


def test_a_limit_of_calls_pauses_an_arena_and_a_higher_one_goes_on(
    run: Path, tmp_path: Path
) -> None:
    command = ("arena", *TASK, *SIZE, *SOLVERS, *TESTERS, "--results", tmp_path)
    paused = hyperspace(*command, "--max-calls", "12")
    assert paused.returncode == 1
    assert "12" in paused.stderr
    done = hyperspace(*command, "--max-calls", "none", "--json")
    assert json.loads(done.stdout)["digest"] == digest(run)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--task", "repo_quality"), "has no oracle"),
        (("--max-calls", "3"), "less than one round of this arena takes, which is 4"),
        (("--budget", "3calls"), "less than one round of this arena takes, which is 4"),
        (("--suite", "10"), "has no room for what --testers 2 may propose"),
        (("--rotate-val", "2"), "the suite of an arena changes with each round"),
        (("--visible", "val=rounded"), "compares exact scores"),
        (("--solvers", "0"), "not at least 1"),
    ],
)
def test_what_an_arena_cannot_be_is_said(
    options: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    done = hyperspace("arena", *saying((*TASK, *SIZE), options), "--results", tmp_path)
    assert says in failed(done, 2)
    assert not list(tmp_path.iterdir())


def test_scores_decide_who_plays_and_no_wish_of_a_person(run: Path) -> None:
    for wish in (
        ("stop-agent", "solver1"),
        ("pin", "solver1", "0"),
        ("fork", "solver1@0", "x"),
        ("give-up", "solver1"),
    ):
        done = hyperspace("steer", run, *wish)
        assert done.returncode == 2, done.stderr


def test_no_other_run_is_an_arena(tmp_path: Path) -> None:
    done = hyperspace(
        *("pair", "--models", "offline/idler", "offline/idler", "--domain", "repo_quality"),
        *("--generations", "1", "--results", tmp_path, "--json"),
    )
    with pytest.raises(Exception, match="is no arena"):
        standing_cases(Path(json.loads(done.stdout)["run"]))
