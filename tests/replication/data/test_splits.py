import hashlib
from collections import Counter
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.imo_grading.domain import imo_grading
from replication.data.splits import PUBLISHED_KEPT, SplitError, make_splits
from tests.support.benchmark_table import (
    DROPPED,
    KEPT,
    ROWS,
    as_csv,
    grading_id,
    read_csv,
    row,
    table,
)
from tests.support.paths import SHARED

REAL = SHARED / "data" / "imo_grading"
PINNED = "171b7ef909f80881b1e7bc419058f6d7adb3cd6904637578cb5f491f98ea5699"


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_splits_are_disjoint_and_of_100_rows_of_the_table_with_a_kept_score(seed: int) -> None:
    source = {one["Grading ID"]: one for one in read_csv(table(seed))}
    made = {split: read_csv(data) for split, data in make_splits(table(seed)).files.items()}
    ids = [one["Grading ID"] for split in SPLITS for one in made[split]]
    assert [len(made[split]) for split in SPLITS] == [100, 100, 100]
    assert len(set(ids)) == len(ids)
    assert all(one == source[one["Grading ID"]] for split in SPLITS for one in made[split])
    assert {int(one["Points"]) for split in SPLITS for one in made[split]} <= set(KEPT)


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_each_split_has_the_mix_of_rewards_of_all_three(seed: int) -> None:
    made = {split: read_csv(data) for split, data in make_splits(table(seed)).files.items()}
    mixes = {split: Counter(one["Reward"] for one in rows) for split, rows in made.items()}
    whole = sum(mixes.values(), Counter[str]())
    for mix in mixes.values():
        assert all(abs(mix[reward] - total / 3) <= 1 for reward, total in whole.items())


def test_a_table_gives_the_same_bytes_on_every_machine() -> None:
    files = make_splits(table(1)).files
    assert hashlib.sha256(b"".join(files[split] for split in SPLITS)).hexdigest() == PINNED


def test_the_domain_loads_what_is_made(tmp_path: Path) -> None:
    for split, data in make_splits(table(2)).files.items():
        (tmp_path / f"{split}.csv").write_bytes(data)
    domain = imo_grading(tmp_path)
    assert [len(domain.items(split)) for split in SPLITS] == [100, 100, 100]


def test_a_table_without_a_column_or_with_too_few_rows_is_refused() -> None:
    with pytest.raises(SplitError, match="lacks the columns Grading ID, Problem ID"):
        make_splits(b"a,b\n1,2\n")
    with pytest.raises(SplitError, match=r"\d+ rows of the table have 0, 1, 6 or 7 points"):
        make_splits(table(1, rows=300))
    with pytest.raises(SplitError, match="no UTF-8 CSV"):
        make_splits(b"\xff\xfe\x00")


def test_a_reward_that_only_one_row_has_is_refused() -> None:
    alone = [row(number, 7 if number > 1 else 0) for number in range(1, 301)]
    with pytest.raises(SplitError, match="cannot be split by reward"):
        make_splits(as_csv(alone))


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real rows are not at {REAL}")
def test_the_recipe_draws_the_published_splits_byte_for_byte() -> None:
    """The rows that were not drawn are made up: what was drawn depends on places alone."""
    published: dict[Split, bytes] = {s: (REAL / f"{s}.csv").read_bytes() for s in SPLITS}
    splits = make_splits(_benchmark_around(published))
    assert splits.kept == PUBLISHED_KEPT
    assert splits.files == published
    assert splits.differing == ()


def _benchmark_around(published: dict[Split, bytes]) -> bytes:
    """Put the published rows where their ids say, and made-up rows around them.

    An id is a row's number in the benchmark, and the recipe says how many rows with kept points
    stand before each row that it draws: so many of those in front of it get such points.
    """
    known = {one["Grading ID"]: one for data in published.values() for one in read_csv(data)}
    kept: set[int] = set()
    for place, id_ in zip(_drawn_places(), sorted(known), strict=True):
        number = int(id_.removeprefix("GB-"))
        kept |= set(range(number - (place - len(kept)), number + 1))
    kept |= set(range(max(kept) + 1, max(kept) + 1 + PUBLISHED_KEPT - len(kept)))
    points = {number: KEPT[0] if number in kept else DROPPED[0] for number in range(1, ROWS + 1)}
    return as_csv(known.get(grading_id(n), row(n, points[n])) for n in range(1, ROWS + 1))


def _drawn_places() -> list[int]:
    """Places, among the rows with kept points, of the rows that the recipe draws; ascending."""
    shuffled = numpy.random.RandomState(42).permutation(PUBLISHED_KEPT)
    drawn = numpy.random.RandomState(42).permutation(PUBLISHED_KEPT)[:300]
    return sorted(shuffled[drawn].tolist())
