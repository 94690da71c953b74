"""An agent that was forked from another one: its pages tell whose code it began with."""

from pathlib import Path

import pytest

from hyperspace.runs.archives import archives_of, read_archives
from hyperspace.runs.folders import read_run
from hyperspace.runs.spaces.lazy_generations import read_outline
from tests.support.dashboards import dashboard
from tests.support.runs.steered import SteeredPair
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]


def test_a_fork_is_drawn_from_the_generation_whose_code_it_began_with(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results", generations=3)
    pair.play_until("magpie:1:report")
    pair.steer("fork", "tinker", "1", "--as", "branch")
    pair.play()

    archives = archives_of(read_run(pair.path))
    assert read_archives(pair.path) == archives
    fork = archives[2].forked
    assert fork is not None
    assert (fork.agent, fork.source, fork.generation) == ("branch", "tinker", 1)
    assert read_outline(pair.path).agent("branch").forked == fork

    with dashboard(tmp_path / "results", tmp_path / "cache") as client:
        run = f"/runs/{client.get('/api/runs').json()['runs'][0]['id']}"
        page = client.get(f"{run}/lineage").text
        assert page.count('class="branch fork"') == 1
        assert "branch began with the code of tinker generation 1" in page
        way = page.partition("The way to the best")[2].partition("</table>")[0]
        assert ">tinker 1 (" in way
        alone = client.get(f"{run}/lineage?agent=branch").text  # its source is not drawn
        assert 'class="branch fork"' not in alone
        assert "branch began with the code of tinker generation 1" in alone
        assert "tinker generation 1</a>" in client.get(f"{run}/agents/branch/generations/0").text
