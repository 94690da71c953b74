"""Adoptions, lineage, a generation, its difference and the guard, of runs that others played."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.runs.published_runs import Generation, conversation, write_run
from tests.support.runs.rendered_pages import Pages

SEED = "WEIGHT = 0.1\n\n\ndef answer(item):\n    return item['size'] * WEIGHT > 3\n"
BETTER = SEED.replace("0.1", "0.7").replace("> 3", "> 4 and item['age'] < 9")
HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m'\"><img src=x onerror=alert(1)>"


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    """A pair of which `ant` took over what `bee` had found."""
    shown = BETTER
    reads = ("cat strategies/bee_gen1/task_agent.py", shown)
    copies = ("cp strategies/bee_gen1/task_agent.py task_agent.py", "")
    agents = {
        "ant": [
            Generation(SEED, 0.4),
            Generation(SEED, 0.4),
            Generation(BETTER, 0.7, calls=conversation(reads, copies, "Done.")),
        ],
        "bee": [Generation(SEED, 0.4), Generation(BETTER, 0.7), Generation("x = (\n", error="no")],
    }
    return pages_of(tmp_path, agents)


def pages_of(folder: Path, agents: Mapping[str, Sequence[Generation]]) -> Pages:
    run = write_run(folder / "results" / "ant_vs_bee" / "seed1", agents)
    return Pages(folder / "results", run, folder / "cache")


def test_an_adoption_is_told_with_its_path_its_scores_and_links(pages: Pages) -> None:
    page = pages.page("adoptions")
    assert 'id="ant-2-bee-1"' in page
    assert "Validation score 0.400 before, 0.700 after (+0.300)" in page
    assert re.search(r"generations/2/trace\?from=\d#line-\d", page)
    assert "agents/bee/generations/1#L" in page
    assert "diff?a=bee%3A1&amp;b=ant%3A2" in page


def test_one_event_can_be_asked_for_alone_and_a_wrong_verdict_is_told(pages: Pages) -> None:
    assert 'id="ant-2-bee-1"' in pages.page("adoptions", event="ant-2-bee-1")
    assert "There is no event of this kind" in pages.page("adoptions", event="nothing")
    assert "there are adopted, inspired" in pages.page("adoptions", verdict="stolen")


def test_lines_of_a_peer_are_told_in_the_margin_and_counted(pages: Pages) -> None:
    page = pages.page("generation", "ant", 2)
    assert re.search(
        r'<tr id="L1" class="peer series-1"><td class="origin"><a [^>]*>bee 1</a>', page
    )
    assert re.search(r"bee generation 1, taken in 2</a> 2 lines \(67%\)", page)
    assert re.search(r"the seed</a> 1 line \(33%\)", page)


def test_what_changed_is_marked_word_by_word_against_any_generation(pages: Pages) -> None:
    page = pages.page("generation", "ant", 2)
    assert "changes since ant generation 1" in page
    assert "0.<mark>1</mark>" in page and "0.<mark>7</mark>" in page
    assert "No line differs" in pages.page("generation", "ant", 2, against="bee:1")
    assert "no generation &#39;9&#39;" in pages.page("generation", "ant", 2, against="bee:9")
    assert "write AGENT:N" in pages.page("generation", "ant", 2, against="bee")


def test_two_agents_are_compared_on_a_page_of_its_own(pages: Pages) -> None:
    page = pages.page("diff", a="bee:2", b="ant:2", file="task_agent.py")
    assert "5 lines added, 1 removed" in page
    assert "no file" in pages.page("diff", a="bee:2", b="ant:2", file="../../etc/passwd")
    assert "Name two generations" in pages.page("diff")


def test_the_tree_has_a_node_for_each_generation_with_what_it_is(pages: Pages) -> None:
    page = pages.page("lineage")
    assert page.count('class="node"') == 6
    assert page.count('class="cross"') == 1
    assert "generation 1: validation 0.700, the best" in page
    assert 'class="taken"' in page
    assert pages.page("lineage", agent_="bee").count('class="node"') == 3
    assert "no agent &#39;wasp&#39;" in pages.page("lineage", agent_="wasp")


def test_a_run_that_others_played_has_no_guard_and_says_so(pages: Pages) -> None:
    assert "no guard stood over it" in pages.page("guard")


def test_an_error_and_a_missing_file_are_told_where_they_belong(tmp_path: Path) -> None:
    rows = [Generation(SEED), Generation(None, None, error="Traceback: it crashed")]
    page = pages_of(tmp_path, {"a": rows, "b": [Generation(SEED)]}).page("generation", "a", 1)
    assert "Traceback: it crashed" in page
    assert "The text of this file is not there" in page


@pytest.mark.parametrize("view", ["adoptions", "lineage", "generation", "diff", "guard"])
def test_hostile_code_names_and_errors_are_shown_and_never_markup(
    tmp_path: Path, view: str
) -> None:
    name = "<img src=x onerror=alert(1)>"
    rows = [
        Generation(f"{HOSTILE}\n{SEED}"),
        Generation(f"{HOSTILE}\nx = 1 + {HOSTILE}\n{SEED}", error=HOSTILE),
    ]
    page = pages_of(tmp_path, {name: rows, "b": rows}).page(view, name, 1, a=f"{name}:0", b="b:1")
    assert "<script>alert" not in page and "<img" not in page
    assert "\u202e" not in page and "\x1b" not in page


def test_the_json_tells_no_text_unless_it_is_asked_for(pages: Pages) -> None:
    bare, whole = (pages.data("generation", "ant", 2, content=n) for n in (0, 1))
    assert [file.text for file in bare.files] == ["", ""]
    assert whole.files[0].text == BETTER
    assert {(o.kind, o.peer, o.peer_generation) for o in bare.files[0].origins} == {
        ("seed", "", None),
        ("peer", "bee", 1),
    }
    quotes = [e.quote for event in pages.data("adoptions").events for e in event.evidence]
    assert quotes and not any(quotes)
    assert any(e.quote for event in pages.data("adoptions", content=1).events for e in event.path)
    assert [each.agent for each in pages.data("archive").agents] == ["ant", "bee"]
    assert "no guard stood over it" in pages.data("audit")
