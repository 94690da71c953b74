import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.table import Row, TableDomain


def rows(split: Split, label: str = "yes") -> tuple[Row, ...]:
    return tuple(Row(f"{split}-{i}", {"number": i}, label) for i in range(4))


def table(**changed: tuple[Row, ...]) -> TableDomain:
    every: dict[Split, tuple[Row, ...]] = {split: rows(split) for split in SPLITS}
    return TableDomain("tiny", every | changed, smoke_inputs={"number": 0})  # type: ignore[operator]


def test_the_score_is_the_share_of_right_answers_over_the_whole_split() -> None:
    predictions = {"train-0": "yes", "train-1": " YES\n", "train-2": "no"}
    assert table().score("train", predictions) == 0.5


def test_a_prediction_for_another_split_or_of_another_type_is_wrong_and_no_error() -> None:
    assert table().score("train", {"val-0": "yes", "train-0": 1}) == 0.0  # type: ignore[dict-item]


def test_items_carry_no_label() -> None:
    item = table().items("val")[0]
    assert (item.id, item.inputs) == ("val-0", {"number": 0})
    assert not hasattr(item, "label")


def test_labels_are_a_copy() -> None:
    domain = table()
    domain.labels("train").clear()  # type: ignore[attr-defined]
    assert len(domain.labels("train")) == 4


def test_the_hash_follows_inputs_and_labels() -> None:
    assert table().data_sha256 == table().data_sha256
    assert table().data_sha256 != table(test=rows("test", label="no")).data_sha256


def test_fitness_is_the_accuracy_and_the_smoke_item_belongs_to_no_split() -> None:
    domain = table()
    assert domain.fitness(0.25) == 0.25
    assert domain.smoke_item().id not in {i.id for split in SPLITS for i in domain.items(split)}


def test_an_empty_split_is_refused() -> None:
    with pytest.raises(DomainDataError, match="no items in val"):
        table(val=())


def test_an_id_that_names_two_rows_is_refused() -> None:
    with pytest.raises(DomainDataError, match="'train-0' names two items"):
        table(val=rows("train"))


def test_a_part_of_the_rows_keeps_all_else_that_the_task_is() -> None:
    every: dict[Split, tuple[Row, ...]] = {split: rows(split) for split in SPLITS}
    whole = TableDomain(
        "tiny",
        every,
        smoke_inputs={"number": 0},
        staged_items=3,
        calls_model=False,
        seed_files={"task_agent.py": b"SEED = 1\n"},
        scale={"yes": 0.0, "no": 1.0},
    )
    part = whole.sampled(lambda _name, _split, ids: ids[:2])
    assert len(part.items("test")) == 2
    assert part.mean_absolute_error("test", {"test-0": "yes", "test-1": "no"}) == 0.5
    assert part.seed_files() == {"task_agent.py": b"SEED = 1\n"}
    assert (part.staged_items, part.calls_model) == (3, False)
    assert (part.smoke_item(), part.data_sha256) == (whole.smoke_item(), whole.data_sha256)


def test_other_rows_of_one_split_leave_the_others_and_the_hash() -> None:
    whole = table()
    fresh = whole.with_rows({"val": (Row("val-9", {"number": 9}, "no"),)})
    assert fresh.labels("val") == {"val-9": "no"}
    assert fresh.items("train") == whole.items("train")
    assert len(whole.items("val")) == 4
    assert fresh.data_sha256 == whole.data_sha256
    with pytest.raises(DomainDataError, match="names two items"):
        whole.with_rows({"val": rows("train")})


def test_files_for_agents_stay_with_a_sample() -> None:
    every: dict[Split, tuple[Row, ...]] = {split: rows(split) for split in SPLITS}
    files = {"README.md": b"# tiny"}
    domain = TableDomain("tiny", every, smoke_inputs={}, task_files=files)
    assert domain.sampled(lambda _name, _split, ids: ids[:1]).task_files() == files
    assert table().task_files() == {}


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("", "is ''; answers are compared .* give it a text"),
        ("Yes ", "is 'Yes '; answers are compared .* write it as 'yes'"),
        (None, "is None, which is no text"),
        (3, "is 3, which is no text"),
    ],
)
def test_a_label_that_no_answer_equals_or_that_no_answer_is_is_refused(
    label: str, told: str
) -> None:
    with pytest.raises(DomainDataError, match=f"tiny: the label of 'val-0' {told}"):
        table(val=rows("val", label=label))


def test_an_id_that_is_no_text_is_refused() -> None:
    numbered = (Row(7, {"number": 0}, "yes"),)  # type: ignore[arg-type]
    with pytest.raises(DomainDataError, match="an id of val is 7, int; ids are texts"):
        table(val=numbered)
