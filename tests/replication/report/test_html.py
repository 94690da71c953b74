"""A report as a page: every figure and table in it, with its explanation."""

import pytest

from hyperspace.runs.finding import read_scored
from replication.report.build import study_of
from replication.report.outputs.html import report_page
from tests.hyperspace.reporting.test_page import Outline
from tests.replication.report.runs import solo


@pytest.fixture(scope="module")
def outline(tmp_path_factory: pytest.TempPathFactory) -> Outline:
    base = tmp_path_factory.mktemp("runs")
    for arm, vals in (("arm_a", [0.0, 0.2, None, 0.5]), ("<b>&arm", [0.0, 0.3, 0.1, 0.4])):
        solo(base, arm, 42, vals)
    return Outline(report_page(study_of(read_scored(base), "runs")))


@pytest.mark.long
def test_a_page_has_every_figure_with_words_for_those_who_do_not_see_it(outline: Outline) -> None:
    captions = [attributes["aria-label"] or "" for tag, attributes in outline.tags if tag == "svg"]
    for begins in ("Median best", "Median test", "Best validation", "Size of task_agent.py"):
        assert any(caption.startswith(begins) for caption in captions)
    assert sum(caption.startswith("Archive of ") for caption in captions) == 2


@pytest.mark.long
def test_a_page_has_the_tables_and_explains_the_numbers(outline: Outline) -> None:
    tables = [tag for tag, _ in outline.tags if tag == "table"]
    assert len(tables) >= 8
    for words in ("cannot be separated with this many seeds", "Hodges-Lehmann", "<b>&arm"):
        assert words in outline.text
