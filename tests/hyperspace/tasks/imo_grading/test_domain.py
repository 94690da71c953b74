import csv
from collections import Counter
from pathlib import Path

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.imo_grading.domain import LABELS, POINTS, imo_grading
from hyperspace.tasks.registry import load
from hyperspace.tasks.table import Row, TableDomain
from tests.support.paths import SHARED

REAL = SHARED / "data" / "imo_grading"
COLUMNS = [
    "Grading ID", "Problem ID", "Problem", "Solution", "Grading guidelines", "Response", "Points",
    "Reward", "Problem Source",
]  # fmt: skip
RECORD = ["GB-1", "PB-1", "Prove it.", "Thus.", "(Almost) minor", 'He said "so".', "7", " Correct"]


def write(folder: Path, name: str, columns: list[str], *records: list[str]) -> None:
    with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *records])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for split in SPLITS:
        write(tmp_path, split, COLUMNS, [*RECORD, f"source-of-{split}"])
    return tmp_path


def test_inputs_hold_what_a_grader_may_see(folder: Path) -> None:
    assert imo_grading(folder).items("train")[0].inputs == {
        "domain": "imo_grading",
        "problem": "Prove it.",
        "solution": "Thus.",
        "grading_guidelines": "(Almost) minor",
        "student_answer": 'He said "so".',
    }


def test_points_reward_and_source_never_reach_an_item(folder: Path) -> None:
    item = imo_grading(folder).items("val")[0]
    shown = f"{item.id} {item.inputs}"
    assert not any(word in shown for word in ("GB-1", "PB-1", "orrect", "source-of", "'7'"))


def test_the_label_is_the_reward_normalised(folder: Path) -> None:
    domain = imo_grading(folder)
    (id_,) = domain.labels("test")
    assert domain.labels("test")[id_] == "correct"
    assert domain.score("test", {id_: "CORRECT "}) == 1.0


def test_equal_records_in_two_splits_have_different_ids(folder: Path) -> None:
    domain = imo_grading(folder)
    assert len({domain.items(split)[0].id for split in SPLITS}) == 3


def test_it_starts_from_the_standard_seed_and_asks_a_model(folder: Path) -> None:
    domain = imo_grading(folder)
    assert (domain.calls_model, domain.staged_items, domain.seed_files()) == (True, 10, {})


def test_a_missing_folder_or_file_is_named(folder: Path) -> None:
    with pytest.raises(
        DomainDataError, match=r"no-such is not a directory; give one that holds train"
    ):
        imo_grading(folder / "no-such")
    (folder / "val.csv").unlink()
    with pytest.raises(DomainDataError, match=r"holds no val\.csv; .* columns Grading ID"):
        imo_grading(folder)


def test_missing_columns_are_named(folder: Path) -> None:
    write(folder, "val", COLUMNS[:5])
    with pytest.raises(DomainDataError, match=r"val\.csv lacks the columns Response, Reward"):
        imo_grading(folder)


def test_an_unknown_reward_is_named_with_its_row(folder: Path) -> None:
    write(folder, "val", COLUMNS, [*RECORD, "s"], [*RECORD[:7], "superb", "s"])
    with pytest.raises(DomainDataError, match=r"row 2 of .*val\.csv has the Reward 'superb'"):
        imo_grading(folder)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'"Grading ID\n'])
def test_a_file_that_is_no_csv_is_named(folder: Path, content: bytes) -> None:
    (folder / "test.csv").write_bytes(content)
    with pytest.raises(DomainDataError, match=r"test\.csv"):
        imo_grading(folder)


def test_a_file_without_rows_is_refused(folder: Path) -> None:
    write(folder, "test", COLUMNS)
    with pytest.raises(DomainDataError, match="no items in test"):
        imo_grading(folder)


@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real rows are not at {REAL}")
def test_the_real_splits_have_the_published_label_mix() -> None:
    domain = load("imo_grading", data=REAL)
    for split in SPLITS:
        mix = Counter(domain.labels(split).values())
        assert sum(mix.values()) == 100
        assert [mix[label] for label in LABELS] == pytest.approx([35, 25, 5, 35], abs=1)


def test_the_mean_absolute_error_is_in_points_out_of_seven() -> None:
    rows = [Row(label, {}, label) for label in LABELS]
    splits: dict[Split, list[Row]] = {
        "train": rows,
        "val": [Row("v", {}, "correct")],
        "test": [Row("t", {}, "correct")],
    }
    scale = {label: points / 7 for label, points in zip(LABELS, POINTS, strict=True)}
    domain = TableDomain("d", splits, smoke_inputs={}, scale=scale)
    said = {"incorrect": " Partial ", "partial": "partial", "almost": "no label"}
    error = domain.mean_absolute_error("train", said)  # correct is missing and stands at 7
    assert error == pytest.approx((1 + 0 + 1 + 0) / 7 / 4)
    unordered = TableDomain("d", splits, smoke_inputs={})
    assert unordered.mean_absolute_error("train", said) is None
