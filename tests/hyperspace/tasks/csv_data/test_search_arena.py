import csv
from pathlib import Path

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.registry import load
from hyperspace.tasks.search_arena.domain import search_arena

COLUMNS = ("question_id", "messages_a", "messages_b", "winner")
WINNERS = ("model_a", "model_b", "tie", "Model_A ")


def write(
    path: Path, count: int, *more: tuple[str, ...], columns: tuple[str, ...] = COLUMNS
) -> None:
    rows = [(str(n), f"user: {n}", f"said {n}", WINNERS[n % 4]) for n in range(count)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows, *more])


def test_one_file_is_cut_into_three_hundred_rows_with_a_winner(tmp_path: Path) -> None:
    write(tmp_path / "search_arena.csv", 500)
    domain = load("search_arena", data=tmp_path)
    texts = [item.inputs["messages_a"] for split in SPLITS for item in domain.items(split)]
    assert [len(domain.items(split)) for split in SPLITS] == [100, 100, 100]
    assert len(set(texts)) == 300
    assert not any(int(text.split()[1]) % 4 == 2 for text in texts), "ties count for nothing"
    assert domain.data_sha256 == search_arena(tmp_path).data_sha256


def test_fewer_rows_are_dealt_in_thirds(tmp_path: Path) -> None:
    write(tmp_path / "search_arena.csv", 12)
    assert [len(search_arena(tmp_path).items(split)) for split in SPLITS] == [3, 3, 3]


def test_inputs_are_both_conversations_and_the_label_is_the_winner(tmp_path: Path) -> None:
    for split in SPLITS:
        write(tmp_path / f"{split}.csv", 4)
    domain = search_arena(tmp_path)
    item = domain.items("val")[0]
    assert item.inputs == {
        "domain": "search_arena",
        "messages_a": "user: 0",
        "messages_b": "said 0",
    }
    assert list(domain.labels("val").values()) == ["model_a", "model_b", "model_a"]
    assert domain.score("val", {item.id: " MODEL_A"}) == pytest.approx(1 / 3)


def test_a_winner_that_is_no_model_is_named_with_file_and_row(tmp_path: Path) -> None:
    write(tmp_path / "search_arena.csv", 2, ("9", "a", "b", "model_c"))
    with pytest.raises(DomainDataError, match=r"row 3 of .*search_arena\.csv .* winner 'model_c'"):
        search_arena(tmp_path)


def test_a_missing_column_is_named_with_its_file(tmp_path: Path) -> None:
    write(tmp_path / "search_arena.csv", 2, columns=(*COLUMNS[:3], "verdict"))
    with pytest.raises(DomainDataError, match=r"arena\.csv lacks the columns winner; it has"):
        search_arena(tmp_path)


def test_data_that_are_not_there_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DomainDataError, match="name their folder with --data"):
        load("search_arena")
    with pytest.raises(DomainDataError, match=r"holds neither search_arena\.csv nor train\.csv"):
        search_arena(tmp_path)
    with pytest.raises(DomainDataError, match="is not a directory"):
        search_arena(tmp_path / "none")
    write(tmp_path / "search_arena.csv", 2)
    with pytest.raises(DomainDataError, match="has 2 rows with a winner; 3 are needed"):
        search_arena(tmp_path)


def test_a_message_holds_little_of_the_file(tmp_path: Path) -> None:
    write(tmp_path / "search_arena.csv", 2, ("9", "a", "b", "w" * 1_000_000))
    with pytest.raises(DomainDataError, match="winner 'www") as refused:
        search_arena(tmp_path)
    assert len(str(refused.value)) < 1000
    write(tmp_path / "search_arena.csv", 2, columns=(*COLUMNS[:3], "v" * 1_000_000))
    with pytest.raises(DomainDataError, match="lacks the columns winner") as refused:
        search_arena(tmp_path)
    assert len(str(refused.value)) < 1000
