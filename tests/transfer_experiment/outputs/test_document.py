"""The page: what its figures show, and evidence that a person can read."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from hyperspace.reporting.figures import to_svg
from hyperspace.runs.folders import read_run
from hyperspace.runs.records import Run
from tests.support.runs.published_runs import POINTER, Generation, conversation, write_run
from transfer_experiment.analysis import analyse
from transfer_experiment.outputs.document import AnalysisPage
from transfer_experiment.outputs.plots import scores_figure, similarity_figure
from transfer_experiment.survey import survey

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"
IDLE = conversation(("ls", "task_agent.py"), "Done.")
READ = conversation(("cat strategies/b_gen1/task_agent.py", PEER), "I adopted b_gen1.")


def run_of(root: Path, a: Sequence[str | None], b: Sequence[str | None]) -> Run:
    """A run of two agents, each generation with its text; None where it cannot be read."""
    texts = {"a": a, "b": b}
    path = write_run(
        root / "a_vs_b" / "seed1",
        {name: [Generation(code or POINTER) for code in codes] for name, codes in texts.items()},
    )
    return read_run(path)


def similarities(run: Run) -> str | None:
    """The map of a run's two agents; None if there is none."""
    figure = similarity_figure(*run.agents)
    return None if figure is None else to_svg(figure, "map")


def texts(svg: str) -> list[str]:
    return [text.strip() for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]


@pytest.mark.long
def test_texts_that_cannot_be_read_are_no_code_to_compare(tmp_path: Path) -> None:
    assert similarities(run_of(tmp_path / "0", [None, None], [SEED, PEER])) is None
    svg = similarities(run_of(tmp_path / "1", [SEED, None, PEER], [SEED, PEER]))
    assert svg is not None
    assert "a, generation (2 of 3 shown)" in texts(svg)
    assert "b, generation" in texts(svg)


def test_a_map_is_numbered_by_the_generations_that_it_shows(tmp_path: Path) -> None:
    svg = similarities(run_of(tmp_path, [SEED] * 40, [SEED, None, None, PEER]))
    assert svg is not None
    named = texts(svg)
    assert named[:2] == ["0", "3"]  # of b there are two
    assert named[named.index("b, generation (2 of 4 shown)") + 1 :][:10] == [
        *("0", "4", "8", "12", "16", "20", "24", "28", "32", "36")
    ]


def adopting(base: Path) -> Path:
    """A run in which a adopts the code of b."""
    b = [Generation(SEED, 0.5), Generation(PEER, 0.7, IDLE), Generation(PEER, 0.7, IDLE)]
    a = [Generation(SEED), Generation(SEED, 0.4, IDLE), Generation(PEER, 0.8, READ)]
    return write_run(base / "a_vs_b" / "seed1", {"a": a, "b": b})


def test_an_adoption_that_both_rules_find_is_one_arrow(tmp_path: Path) -> None:
    run = read_run(adopting(tmp_path))
    analysis = analyse(run)
    assert {event.rule for event in analysis.adoptions} == {"causal", "published"}
    scores, sizes = scores_figure(run, analysis).axes
    assert (len(scores.texts), len(sizes.texts)) == (1, 0)


@pytest.mark.long
def test_each_piece_of_evidence_is_a_point_of_a_list_and_stands_there_once(tmp_path: Path) -> None:
    document = AnalysisPage()
    text = document.html(survey(adopting(tmp_path), each=document.add).totals)
    assert text.count("Evidence: a from b_gen1 in generation 2") == 1
    places = re.findall(r"<li>(\S+) \((host-observed|claimed)\) ", text)
    assert places == [
        ("a/gen_2/llm_calls.jsonl:2", "host-observed"),
        ("a/gen_2/llm_calls.jsonl:2", "claimed"),
    ]


@pytest.mark.long
def test_the_path_of_an_adoption_is_told_step_by_step(tmp_path: Path) -> None:
    document = AnalysisPage()
    text = document.html(survey(adopting(tmp_path), each=document.add).totals)
    steps, *_ = re.findall(r"in sight [^<]* came in[^<]*", text)
    assert "in sight strategies/b_gen1/task_agent.py:4; displayed a/gen_2/" in steps
