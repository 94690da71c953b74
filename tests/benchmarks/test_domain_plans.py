import re
from pathlib import Path

import pytest

from benchmarks.domains.__main__ import main, row
from benchmarks.domains.measuring import command, spec_of
from benchmarks.domains.plans import PLANS, UNTUNED, TuningPlan
from hyperspace.offline.registry import named
from hyperspace.tasks.registry import entries
from tests.support.paths import ROOT


@pytest.mark.parametrize("name", sorted(PLANS))
def test_a_plan_is_of_a_domain_and_names_policies_that_there_are(name: str) -> None:
    plan = PLANS[name]
    assert name in entries()
    assert 1 <= len(plan.models) <= 2
    assert all(named(model) for model in plan.models)
    assert 1 <= plan.generations <= 24


def test_every_domain_has_a_plan_or_a_reason_that_it_has_none() -> None:
    assert {*PLANS, *UNTUNED} == {*entries()}
    assert not {*PLANS} & {*UNTUNED}
    named = re.findall(r"tests/\S+\.py", " ".join(UNTUNED.values()))
    assert named
    assert all((ROOT / path).is_file() for path in named)


def test_one_policy_plays_solo_and_two_play_a_pair() -> None:
    solo = command("sortnet", TuningPlan(("offline/climber",), 3), 2, 3)
    assert solo[:5] == ["solo", "--model", "offline/climber", "--domain", "sortnet"]
    assert solo[5:9] == ["--seeds", "2", "--generations", "3"]
    pair = command("sortnet", TuningPlan(("offline/climber", "offline/breeder"), 3), 2, 3)
    assert pair[:4] == ["pair", "--models", "offline/climber", "offline/breeder"]
    assert pair[6:] == ["--seed", "2", "--generations", "3"]


def test_rows_are_drawn_by_the_seed_where_a_domain_draws_any() -> None:
    assert spec_of("packing", 2) == "packing?rows_seed=2"
    assert spec_of("sortnet", 2) == "sortnet"


def test_a_domain_that_cannot_run_here_is_one_line_with_the_reason(tmp_path: Path) -> None:
    name, reason, plan = row("imo_grading", 1, 1, tmp_path)
    assert name == "imo_grading"
    assert reason.startswith("cannot run here: imo_grading reads train.csv")
    assert plan.startswith("not tuned: its seed asks a model; tests/hyperspace")


def test_an_unknown_name_is_told_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pack", "--results", str(tmp_path)]) == 2
    assert "no domain pack; there are accept" in capsys.readouterr().err
