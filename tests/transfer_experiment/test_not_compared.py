"""Code that was made to be compared for hours is judged by its lines, and that is said."""

from pathlib import Path

import pytest

from hyperspace.runs.folders import read_run
from tests.support.runs.published_runs import Generation, write_run
from transfer_experiment.analysis import analyse


def period(kinds: int) -> str:
    """Code whose characters are all rare, and of which every run comes again."""
    text = "".join(chr(0x100 + number % kinds) for number in range(100_000))
    return f"limit = 1\nname = '{text}'\n"


@pytest.mark.long
def test_an_analysis_ends_and_says_what_was_not_compared(tmp_path: Path) -> None:
    mine = [Generation(period(150)), Generation(period(151))]
    run = write_run(tmp_path / "a_vs_b" / "seed1", {"a": mine, "b": [Generation(period(152))] * 2})
    found = analyse(read_run(run))
    (said,) = (note for note in found.notes if "not compared" in note)
    assert said.startswith("a: 2 times not compared by characters")
    (far,) = (finding for finding in found.findings.of("diversity") if finding.generation == 1)
    assert far.text == "is 1.00 from b by lines, not compared by characters"
