from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.events import nobody
from hyperspace.kernel.selection.named import SELECTIONS, rule
from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.options.solo import SoloTerms
from replication.options import SoloOptions
from replication.solo import run_solo


@pytest.fixture
def idle_rule() -> Iterator[str]:
    @rule("idle")
    def choose_none(_archive: Archive, _rng: Random) -> ArchiveEntry | None:
        return None

    assert choose_none
    yield "idle"
    del SELECTIONS["idle"]


def test_a_rule_that_chooses_none_of_the_valid_generations_is_refused(
    idle_rule: str, tmp_path: Path
) -> None:
    options = SoloOptions(
        models=("offline/climber",),
        domain="repo_quality",
        generations=1,
        results=tmp_path,
        sandbox="process",
        solo=SoloTerms(experiment="e", arm="a", selection=idle_rule),
    )
    with pytest.raises(RunUsageError, match="chose no parent for climber gen 1, and 1 generations"):
        run_solo(options, nobody)
