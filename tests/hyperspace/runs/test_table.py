"""Tables of scores: what a line says is read, what it does not say is named."""

from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.table import read_table
from tests.replication.report.runs import PUBLISHED

HEADING = "arm,seed,generation,parent,forked_from,valid,train_score,val_score,full_eval\n"


def table(folder: Path, *lines: str, heading: str = HEADING) -> Path:
    path = folder / "scores.csv"
    path.write_text(heading + "".join(f"{line}\n" for line in lines))
    return path


def test_a_line_is_a_generation_and_an_empty_cell_is_absent(tmp_path: Path) -> None:
    (run,) = read_table(table(tmp_path, "a,seed7,0,,,True,,0.5,False", "a,seed7,1,0,0,False,,,"))
    first, second = run.agents[0].generations
    assert (run.arm, run.seed, run.agents[0].name, run.test) == ("a", 7, "", None)
    assert (first.val, first.train, first.full_eval, first.parent) == (0.5, None, False, None)
    assert (second.valid, second.val, second.full_eval, second.origin) == (False, None, None, 0)


def test_agents_of_a_pairing_are_one_run(tmp_path: Path) -> None:
    heading = "pairing,seed,agent,generation,val_score,task_agent_bytes\n"
    lines = ("a_vs_b,3,a,0,0.2,10", "a_vs_b,3,b,0,0.4,20")
    (run,) = read_table(table(tmp_path, *lines, heading=heading))
    assert [agent.name for agent in run.agents] == ["a", "b"]
    assert run.best_val == pytest.approx(0.4)
    assert run.agents[1].generations[0].code_bytes == 20


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a,1,1,0,0,Tr", "more or fewer cells"),
        ("a,1,1,0,0,True,0.1,0.2,True,extra", "more or fewer cells"),
        ("a,1,1,0,0,True,nan,0.2,True", "train_score is 'nan'"),
        ("a,1,1,0,0,perhaps,0.1,0.2,True", "valid is 'perhaps'"),
        ("a,1,one,0,0,True,0.1,0.2,True", "generation is 'one'"),
        ("a,1,0,,,True,,0.9,True", "was there before"),
        (",1,1,0,0,True,0.1,0.2,True", "does not say arm"),
    ],
)
def test_a_line_that_cannot_be_read_is_left_out_and_named(
    tmp_path: Path, line: str, said: str
) -> None:
    (run,) = read_table(table(tmp_path, "a,1,0,,,True,,0.5,True", line))
    assert [row.val for row in run.agents[0].generations] == [0.5]
    assert len(run.notes) == 1
    assert said in run.notes[0]
    assert "scores.csv, line 3," in run.notes[0]


def test_a_table_without_the_columns_is_refused_and_says_which(tmp_path: Path) -> None:
    with pytest.raises(RunUsageError, match=r"no column arm \(or pairing\), val_score"):
        read_table(table(tmp_path, "1,2", heading="seed,generation\n"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(b"\xff\xfe\x00arm")
    with pytest.raises(RunUsageError, match="no table of scores"):
        read_table(path)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no published scores in {PUBLISHED}")
def test_the_published_tables_are_read_whole() -> None:
    solo = read_table(PUBLISHED / "replication_scores.csv")
    pairs = read_table(PUBLISHED / "transfer_scores.csv")
    assert (len(solo), sum(len(run.agents[0].generations) for run in solo)) == (17, 3417)
    counts = [len(agent.generations) for run in pairs for agent in run.agents]
    assert (len(pairs), len(counts), sum(counts)) == (20, 40, 1280)
    assert not any(run.notes for run in [*solo, *pairs])
    winners = [g.winner for r in solo for g in r.agents[0].generations]
    assert (winners.count("blind"), winners.count("directed")) == (4, 49)


def test_runs_generations_and_winners_of_tournaments_are_all_read(tmp_path: Path) -> None:
    """What the published tables hold, in small: several runs, each with winners and failures."""
    heading = HEADING.rstrip("\n") + ",tournament_winner\n"
    lines = [
        line
        for arm in ("arm_a_full", "arm_d_annealing")
        for seed in (42, 43)
        for line in (
            f"{arm},seed{seed},0,,,True,0.0,0.0,False,",
            f"{arm},seed{seed},1,0,0,True,0.4,0.3,True,directed",
            f"{arm},seed{seed},2,1,0,False,,,,blind",
        )
    ]
    runs = read_table(table(tmp_path, *lines, heading=heading))
    assert [(run.arm, run.seed) for run in runs] == [
        *(("arm_a_full", 42), ("arm_a_full", 43)),
        *(("arm_d_annealing", 42), ("arm_d_annealing", 43)),
    ]
    for run in runs:
        first, second, third = run.agents[0].generations
        assert (first.winner, first.full_eval, first.valid) == ("", False, True)
        assert (second.winner, second.origin, second.val) == ("directed", 0, 0.3)
        assert (third.winner, third.parent, third.origin) == ("blind", 1, 0)
        assert (third.valid, third.rank, run.notes) == (False, None, ())
