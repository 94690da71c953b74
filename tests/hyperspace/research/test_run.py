"""A research run: ideas, diffs, repairs, scores, marks, and what may happen to it on the way."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.kernel.errors import ForeignRun, RunUsageError
from hyperspace.kernel.state.scopes import VIOLATIONS
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.research.errors import EnvironmentUnusable
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.replay import replay_research
from hyperspace.research.loop.resuming import ResumeTerms, resume_research
from hyperspace.research.loop.run import recorded_digest, run_set
from hyperspace.research.loop.space import IDEAS, digest_of_ideas, reading_from
from markspace import MarkType
from tests.hyperspace.research.environments import CONFIG, MAIN, replaced, small, write_small
from tests.hyperspace.research.runs import (
    IDEATOR,
    ScriptedIdeator,
    block,
    config_for,
    play,
    run_research,
)
from tests.support.command import failed, hyperspace
from tests.support.runs.copied import strangers
from tests.support.sandboxes import needs_bubblewrap

pytestmark = needs_bubblewrap


def options(folder: Path, **more: Any) -> ResearchOptions:
    said: dict[str, Any] = {
        "env": str(write_small(folder / "env")),
        "models": (IDEATOR,),
        "epochs": 2,
        "ideas": 2,
        "results": folder / "results",
        **more,
    }
    return ResearchOptions(**said)


def quiet(_line: str) -> None:
    pass


@pytest.mark.long
def test_a_run_finds_something_better_and_says_so_in_files(tmp_path: Path) -> None:
    lines: list[str] = []
    fields = run_research(options(tmp_path, ideas=4), lines.append)
    assert (fields["baseline"], fields["goal"]) == (1.0, "max")
    assert fields["best"] > 1.0
    assert len(lines) == 9
    run = Path(fields["run"])
    assert json.loads((run / "summary.json").read_text()) == fields
    ideas = [json.loads(line) for line in (run / "ideas.jsonl").read_text().splitlines()]
    assert [idea["number"] for idea in ideas] == list(range(9))
    best = json.loads((run / "ranked_ideas.json").read_text())[0]
    assert (best["number"], best["score"]) == (fields["best_idea"], fields["best"])
    assert (run / "ideas" / f"{best['number']:04d}" / "change.diff").read_text() == best["diff"]
    for name, sha256 in best["artefacts"].items():
        assert name == "out.json"
        assert (run / "artefacts" / sha256).is_file()
    assert fields["best_so_far"][-1] == fields["best"]
    assert len(fields["best_so_far"]) == 9


@pytest.mark.long
def test_the_same_command_again_does_no_work_and_another_folder_has_the_same_digest(
    tmp_path: Path,
) -> None:
    first = run_research(options(tmp_path), quiet)
    lines: list[str] = []
    assert run_research(options(tmp_path), lines.append) == first
    assert lines == []
    other = run_research(options(tmp_path, results=tmp_path / "other", slots=1), quiet)
    assert other["digest"] == first["digest"]
    control = run_research(options(tmp_path, arm="best_of_n"), quiet)
    assert control["arm"] == "best_of_n"
    assert [epoch["ideas"] for epoch in control["epochs"]] == [4]


@pytest.mark.long
def test_a_run_of_somebody_else_is_read_and_no_more(tmp_path: Path) -> None:
    fields = run_research(options(tmp_path), quiet)
    copied = tmp_path / "copied"
    run = copied / Path(fields["run"]).relative_to(tmp_path / "results")
    strangers(Path(fields["run"]), run)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert recorded_digest(run) == fields["digest"]
    with pytest.raises(ForeignRun, match=r"train its ideas in sandbox .*--trust"):
        replay_research(run, quiet)
    with pytest.raises(RunUsageError, match="was not begun by you here"):
        run_research(options(tmp_path, results=copied), quiet)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert hyperspace("replay", run, "--trust", timeout_s=300).returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("name", ["jobs.db", "space.db", "research.json", "ideas/0001/x"])
def test_what_is_no_plain_file_in_a_run_of_somebody_else_is_refused(
    name: str, tmp_path: Path
) -> None:
    fields = run_research(options(tmp_path, epochs=1, ideas=1), quiet)
    run = tmp_path / "copied"
    shutil.copytree(fields["run"], run)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(Path(fields["run"]) / "research.json")
    said = failed(hyperspace("replay", run, "--trust"), 2)
    assert name in said and "link" in said
    (run / name).unlink()
    os.mkfifo(run / name)
    assert str(run) in failed(hyperspace("digest", run), 2)


@pytest.mark.long
def test_a_replay_asks_nobody_and_ends_with_the_same_digest(tmp_path: Path) -> None:
    fields = run_research(options(tmp_path), quiet)
    run = Path(fields["run"])
    assert hyperspace("replay", run, timeout_s=300).returncode == 0
    assert hyperspace("digest", run).stdout.strip() == fields["digest"]
    assert hyperspace("space", "verify", run).returncode == 0
    live = replay_research(run, quiet, live_jobs=True)
    assert (live.same, live.digest, live.closed) == (True, fields["digest"], 5)
    trace = run / "ideas" / "0002" / "llm_calls.jsonl"
    trace.write_text(trace.read_text().replace("set value to", "set value beside"))
    assert not replay_research(run, quiet).same


def test_a_diff_that_is_refused_goes_back_and_all_tries_are_on_record(tmp_path: Path) -> None:
    environment = small(tmp_path / "env")
    good = replaced(environment, "main.py", "value = 1", "value = 3")
    frozen = replaced(environment, "rules.py", "5", "50")
    never = ["no block", block("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n")]
    model = ScriptedIdeator([[block(frozen), block(good)], never])
    config = config_for(environment, ideas=2)
    closed = play(environment, config, model, tmp_path / "run")
    first, second = closed[1], closed[2]
    assert (first.manifest.gates, first.manifest.state, first.score) == (("frozen", ""), "done", 3)
    assert any("rules.py is frozen" in text for text in model.told)
    assert (second.manifest.gates, second.manifest.state) == (("apply", "apply"), "refused")
    assert "there is no such file" in second.reason
    assert second.tries[0].diff == ""
    with reading_from(tmp_path / "run" / "space.db", config) as space:
        marks = space.space.read(f"{IDEAS}/ideator-0", mark_type=MarkType.OBSERVATION)
        warnings = space.space.read(f"{VIOLATIONS}/ideator-0", mark_type=MarkType.WARNING)
    assert len(marks) == 2
    assert [mark.topic for mark in warnings if mark.mark_type is MarkType.WARNING] == ["frozen"]


@pytest.mark.long
def test_what_was_trained_before_is_told_and_not_trained_again(tmp_path: Path) -> None:
    environment = small(tmp_path / "env")
    three, four = (
        block(replaced(environment, "main.py", "value = 1", f"value = {n}")) for n in (3, 4)
    )
    model = ScriptedIdeator([[three], [three, f"four instead\n{four}"]])
    config = config_for(environment, epochs=2, explore=1.0)
    closed = play(environment, config, model, tmp_path / "run")
    assert closed[2].manifest.gates == ("duplicate", "")
    assert (closed[2].text, closed[2].score) == ("four instead", 4)
    assert any("idea 1 left this very repository (score 3.0)" in text for text in model.told)


@pytest.mark.long
def test_runs_of_a_set_train_equal_repositories_once(tmp_path: Path) -> None:
    lines: list[str] = []
    both = [options(tmp_path, arm=arm) for arm in ("search", "best_of_n")]
    search, control = run_set(both, lines.append)
    alone = run_research(options(tmp_path, arm="best_of_n", results=tmp_path / "alone"), quiet)
    assert control["digest"] == alone["digest"], "what is taken over is what training gives"
    trees = [
        {
            json.loads(line)["tree_sha256"]
            for line in Path(run["run"], "ideas.jsonl").read_text().splitlines()
        }
        for run in (search, control)
    ]
    taken = 2 * len(trees[0] & trees[1])  # a training and its evaluation, the baseline's at least
    assert taken >= 2
    assert lines[-1] == f"{taken} jobs were on record of other runs of this set"
    assert sum(line.endswith("of this set") for line in lines) == 1


@pytest.mark.long
def test_a_run_that_is_cut_off_goes_on_from_its_calls_and_jobs(tmp_path: Path) -> None:
    """A model that is asked for a third idea raises, as a kill would: what is done is kept."""
    text = MAIN.replace('"value": value', '"value": value, "t": __import__("time").time_ns()')
    environment = small(tmp_path / "env", {"repo/main.py": text})
    diffs = [
        [block(replaced(environment, "main.py", "value = 1", f"value = {n}"))] for n in (2, 3, 4)
    ]
    config = config_for(environment, ideas=3)

    class Dies(ScriptedIdeator):
        async def complete(self, request: ChatRequest) -> ChatReply:
            if len(self.told) == 5:
                raise RuntimeError("as a kill would")
            return await super().complete(request)

    with pytest.raises(RuntimeError):
        play(environment, config, Dies(diffs), tmp_path / "run", slots=1)
    with reading_from(tmp_path / "run" / "space.db", config) as space:
        before = space.closed()
    again = ScriptedIdeator(diffs)
    closed = play(environment, config, again, tmp_path / "run", slots=1)
    assert [idea.score for idea in closed.values()] == [1, 2, 3, 4]
    assert {n: closed[n].artefacts for n in before} == {n: i.artefacts for n, i in before.items()}
    assert len(again.told) <= 3


def test_a_repository_without_a_score_is_refused_with_the_end_of_its_log(tmp_path: Path) -> None:
    broken = write_small(tmp_path / "env", {"repo/main.py": "raise SystemExit('no data here')\n"})
    with pytest.raises(EnvironmentUnusable, match="no data here"):
        run_research(options(tmp_path / "other", env=str(broken)), quiet)


@pytest.mark.long
def test_bad_command_lines_are_sentences(tmp_path: Path) -> None:
    env = str(write_small(tmp_path))

    def refused(*words: str) -> str:
        return failed(hyperspace("research", "--results", tmp_path / "results", *words), 2)

    models = ("--models", IDEATOR)
    assert "no folder of that name" in refused("--env", "nowhere", *models)
    assert "ideator" in refused("--env", env, "--models", "offline/idear")
    assert "confines nothing" in refused("--env", env, *models, "--sandbox", "process")
    assert "0 to 1" in refused("--env", env, *models, "--explore", "2")


@pytest.mark.long
def test_another_configuration_is_refused_and_a_limit_pauses(tmp_path: Path) -> None:
    env = str(write_small(tmp_path))
    alone = ("research", "--env", env, "--models", IDEATOR, "--ideas", "2")
    command = (*alone, "--results", tmp_path / "r")
    small_run = (*command, "--epochs", "1")
    paused = hyperspace(*small_run, "--max-calls", "2")
    assert paused.returncode == 1
    assert "--max-calls" in paused.stderr.splitlines()[-1]
    other = hyperspace(*command, "--epochs", "2")
    assert other.returncode == 2
    assert "epochs=1" in other.stderr
    whole = hyperspace(*small_run, "--max-calls", "none", "--json")
    elsewhere = hyperspace(*alone, "--epochs", "1", "--json", "--results", tmp_path / "other")
    digests = [json.loads(each.stdout)["digest"] for each in (whole, elsewhere)]
    assert digests[0] == digests[1]
    (tmp_path / "sealed" / "most.json").write_text("6")
    assert "env.toml or data is another now" in hyperspace(*small_run).stderr


@pytest.mark.long
def test_the_digest_covers_scores_and_not_logs(tmp_path: Path) -> None:
    environment = small(tmp_path / "env")
    model = ScriptedIdeator([[block(replaced(environment, "main.py", "value = 1", "value = 2"))]])
    closed = play(environment, config_for(environment), model, tmp_path / "run")
    manifests = [idea.manifest for idea in closed.values()]
    other = [msgspec.structs.replace(manifests[1], score=2.5), manifests[0]]
    assert digest_of_ideas(manifests) == digest_of_ideas(manifests[::-1])
    assert digest_of_ideas(manifests) != digest_of_ideas(other)


@pytest.mark.long
def test_a_scale_is_a_run_of_its_own_that_is_gone_on_with_and_made_again(tmp_path: Path) -> None:
    scale = '\n[scales.large.constants]\n"main.py" = { value = 3 }\n'
    env = str(write_small(tmp_path / "scaled", {"env.toml": CONFIG + scale}))
    told: list[str] = []
    asked = options(tmp_path, env=env, scale="large", epochs=1, ideas=1)
    fields = run_research(asked, told.append)
    assert (fields["environment"], fields["baseline"]) == ("small_large", 3.0)
    run = Path(fields["run"])
    assert run == tmp_path / "results" / "small_large" / "search" / "seed42"
    assert resume_research(run, ResumeTerms(), quiet)["digest"] == fields["digest"]
    assert replay_research(run, quiet).same
    assert "no scale 'huge'" in failed(
        hyperspace("research", "--env", env, "--models", IDEATOR, "--scale", "huge"), 2
    )
