"""The task of a run that is there, where its data are other ones by now."""

from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.opening import new_record
from hyperspace.launch.run_domain import domain_of
from tests.support.runs.begun import CONFIG

OWN = """
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.table import Row, TableDomain


def mine(data, options):
    rows = {s: [Row(s, {}, "yes")] for s in SPLITS}
    return TableDomain("mine", rows, smoke_inputs={}, staged_items=1, calls_model=False)
"""


def test_a_domain_that_makes_its_own_data_is_to_be_played_by_its_version() -> None:
    record = new_record(CONFIG, "process", ())
    with pytest.raises(RunUsageError) as refused:
        domain_of(record, "a replay")
    told = str(refused.value)
    assert "repo_quality makes its data itself" in told
    assert record.versions["hyperspace"] in told
    assert "--data" not in told


def test_a_domain_of_ones_own_that_was_changed_is_to_be_put_back(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    spec = f"{tmp_path}/own.py:mine"
    record = new_record(msgspec.structs.replace(CONFIG, domain=spec), "process", ())
    with pytest.raises(RunUsageError, match=r"has changed.* put its files back as they were"):
        domain_of(record, "a replay", spec)
