"""What docs/reference/report.md shows of the published runs is what the commands print."""

import re
import shlex

import pytest

from tests.replication.report.runs import PUBLISHED
from tests.support.command import hyperspace
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "guide" / "report.md").read_text()

pytestmark = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason=f"no published scores in {PUBLISHED}"
)


def shown(heading: str) -> tuple[str, list[str]]:
    """The first command below a heading, and the lines shown below it."""
    section = PAGE[PAGE.index(f"\n{heading}\n") :]
    blocks = re.findall(r"(?:^ {4}.*\n(?:\n(?= {4}))?)+", section, re.MULTILINE)
    lines = [line.removeprefix("    ") for block in blocks for line in block.splitlines()]
    commands = [at for at, line in enumerate(lines) if line.startswith("hyperspace ")]
    first = next(at for at in commands if "shared" in lines[at])
    last = next((at for at in commands if at > first), len(lines))
    return lines[first], [line for line in lines[first + 1 : last] if line not in ("", "...")]


@pytest.mark.long
@pytest.mark.parametrize(
    "heading", ["## The published solo runs", "## Curves: `hyperspace eval_progress`"]
)
def test_the_page_shows_what_is_printed(heading: str) -> None:
    command, lines = shown(heading)
    done = hyperspace(*shlex.split(command)[1:], cwd=ROOT)
    printed = done.stdout.splitlines()
    assert len(lines) > 5
    assert [line for line in lines if line.strip() != "..." and line not in printed] == []
