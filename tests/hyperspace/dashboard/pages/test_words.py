"""Words of pages: names, counts, and what is told of how a run stands."""

from pathlib import Path

import pytest

from hyperspace.dashboard.pages.run_cells import (
    left_text,
    next_command,
    numbered_names,
    progress_text,
    state_text,
)
from hyperspace.reporting.rendering import breakable
from hyperspace.runs.following.overview import BY_PRINCIPAL, RunOverview, RunState


def overview(state: RunState = "playing", why: str = "", closed: int = 0) -> RunOverview:
    return RunOverview(state=state, why=why, closed=closed, planned=100)


def test_a_name_breaks_between_its_parts_and_never_becomes_markup() -> None:
    assert breakable("a/b_c") == "a/<wbr>b_<wbr>c"
    assert "<b>" not in breakable("<b>/x")


def test_equal_names_are_counted() -> None:
    assert numbered_names(["x", "y", "x"]) == "2 of x, y"


@pytest.mark.parametrize("why", ["", "one waits for an answer"])
def test_a_stopped_run_says_how_it_goes_on_after_why(why: str) -> None:
    text = state_text(overview("stopped", why))
    assert text.startswith(f"stopped{': ' * bool(why)}{why};")
    assert text.endswith("hyperspace resume, goes on")


def test_what_goes_on_with_a_run_is_a_command_that_does() -> None:
    run = Path("/results/a b")
    assert next_command(run, overview("stopped")) == "hyperspace resume '/results/a b'"
    paused = next_command(run, overview("paused", BY_PRINCIPAL))
    resumed = "hyperspace steer '/results/a b' resume"
    assert paused == f"{resumed} && hyperspace resume '/results/a b'"
    assert next_command(run, overview("paused", "usd: $1 of $1")).startswith("hyperspace resume")
    assert next_command(run, overview("finished")) == "hyperspace export '/results/a b'"
    assert not next_command(run, overview("playing"))


def test_numbers_of_generations_are_told_in_thousands() -> None:
    assert progress_text(RunOverview(state="playing", closed=1200, planned=20_000)) == (
        "1,200 of 20,000"
    )


def test_what_is_left_is_as_exact_as_it_can_be() -> None:
    assert left_text(overview(closed=50), 100.0) == "about 1 min 40 s of work at this rate"
    assert left_text(overview(closed=50), 1_203.0) == "about 20 min of work at this rate"
    assert left_text(overview(closed=50), 72_010.0) == "about 20 h 00 min of work at this rate"
    assert left_text(overview(closed=10), 100.0) == "about 15 min of work at this rate"
    assert left_text(overview(closed=90), 90.0) == "about 10 s of work at this rate"
    assert left_text(overview(closed=100), 1.0) == "the final test"
    assert left_text(overview(closed=1), 1.0) == "not known yet"
