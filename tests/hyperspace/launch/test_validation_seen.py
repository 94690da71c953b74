"""How many bits of validation a run can have shown: a bound that is computed from its closings."""

from math import comb, log2
from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.evaluation.failures import ended_too_often
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing
from hyperspace.kernel.state.opening import RunSpace
from hyperspace.launch.validation_seen import seen_on_record, validation_seen
from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain
from hyperspace.workspace.visibility import Visibility, parse_visibility
from tests.support.command import hyperspace, pair
from tests.support.runs.manifests import manifest

ITEMS = 25
ROWS: dict[Split, list[Row]] = {
    split: [Row(f"{split}{n}", {}, "x") for n in range(ITEMS)] for split in SPLITS
}
DOMAIN = TableDomain("t", ROWS, smoke_inputs={})


def space(path: Path, visible: Visibility) -> RunSpace:
    """A space in which three generations were evaluated, one of them failed, and a fourth not."""
    config = RunConfig(
        kind="pair",
        domain="t",
        data_sha256="",
        models=("m",),
        agents=("a",),
        eval_model=None,
        generations=4,
        seed=1,
        visible=visible,
    )
    opened = RunSpace(path / "space.db", config)
    writer = opened.writer()
    failed = [manifest(number, None, valid=False) for number in (2, 3)]
    made = [manifest(0, 0.4), manifest(1, 0.6), *failed]
    errors = ["", "", ended_too_often("val", 3, "exited: it exited with status 1"), "import gate"]
    for row, error in zip(made, errors, strict=True):
        closing = Closing(
            manifest=msgspec.structs.replace(row, error=error),
            files={},
            audit_head=opened.marks.audit_head(),
            seconds=0.0,
            closed_utc="",
            attempt=0,
            calls=0,
            cost_usd=0.0,
        )
        writer.publish(closing, {}, 0, None)
    return opened


@pytest.mark.parametrize(
    ("visible", "bits"),
    [
        ("val=scores", 3 * log2(26 + 7)),
        ("val=rounded", 3 * log2(11 + 1)),
        ("val=ladder", 3 + log2(comb(3 + 10, 10))),
        ("val=none", 3),
    ],
)
def test_bits_are_those_of_the_values_that_could_be_shown(
    visible: str, bits: float, tmp_path: Path
) -> None:
    opened = space(tmp_path, parse_visibility(visible))
    seen = validation_seen(DOMAIN, opened.marks)["validation"]
    opened.close()
    assert f"val={seen.visible}" == visible
    assert seen.by_agent == {"a": pytest.approx(bits, abs=0.1)}
    assert seen.most_bits >= bits


@pytest.mark.long
def test_a_run_ends_with_the_bits_that_its_agents_could_have_seen(tmp_path: Path) -> None:
    run = Path(pair(tmp_path, "--visible", "val=ladder", generations=1)["run"])
    seen = seen_on_record(RunFolder(run))
    assert seen is not None
    assert seen.visible == "ladder"
    told = f"could tell them at most {seen.most_bits:g} bits about its labels"
    assert told in hyperspace("resume", run).stderr
