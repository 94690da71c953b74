"""Several domains as one."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.tasks.base import DomainDataError, Split
from hyperspace.tasks.registry import load
from hyperspace.tasks.several import SeveralDomains
from hyperspace.tasks.table import Row, TableDomain
from tests.support.tasks.freight import Freight, freight

BOTH = "repo_quality+repo_quality?rows_seed=7"
IMO_ROW = "Grading ID,Problem,Solution,Grading guidelines,Response,Reward\n{},p,s,g,r,correct\n"


def right(domain: SeveralDomains, split: Split, part: str) -> dict[str, str]:
    """Right answers to one part's items and none to the others'."""
    labels = domain.labels(split)
    return {id_: label for id_, label in labels.items() if id_.startswith(f"{part}:")}


def several(spec: str, data: Path | None = None) -> SeveralDomains:
    domain = load(spec, data=data)
    assert isinstance(domain, SeveralDomains)
    return domain


def test_every_item_says_to_which_domain_it_belongs() -> None:
    domain = several(BOTH)
    assert domain.name == "repo_quality+repo_quality_b"
    items = domain.items("val")
    assert {item.inputs["domain"] for item in items} == {"repo_quality", "repo_quality_b"}
    assert all(item.id.startswith(item.inputs["domain"] + ":") for item in items)
    assert {item.id for item in items} == set(domain.labels("val"))
    assert domain.smoke_item().inputs["domain"] == "repo_quality"


def test_equal_domains_have_names_of_letters_however_many_they_are() -> None:
    names = several("+".join(["repo_quality"] * 29)).name.split("+")
    assert names[1] == "repo_quality_b"
    assert names[25:] == [f"repo_quality_{letters}" for letters in ("z", "aa", "ab", "ac")]


def test_the_staged_pass_holds_that_of_each_domain() -> None:
    domain = several(BOTH)
    staged = domain.items("train")[: domain.staged_items]
    names = [item.inputs["domain"] for item in staged]
    assert names == ["repo_quality"] * 10 + ["repo_quality_b"] * 10
    assert {item.id for item in domain.items("train")} == set(domain.labels("train"))


def test_the_score_is_the_mean_of_fitnesses_whatever_the_sizes_and_metrics() -> None:
    domain = SeveralDomains([load("repo_quality"), freight(None, {})])
    scores = domain.part_scores("train", right(domain, "train", "freight"))
    assert scores == {"repo_quality": 0.0, "freight": 0.0}  # no hit; and no error at all
    assert domain.score("train", right(domain, "train", "freight")) == 0.5
    assert domain.score("train", right(domain, "train", "repo_quality")) == 0.5
    assert domain.score("train", domain.labels("train")) == 1.0


def test_there_is_no_score_unless_each_domain_has_one() -> None:
    class Unscored(Freight):
        def score(self, split: Split, predictions: Mapping[str, str]) -> float:
            return math.nan

        def fitness(self, score: float) -> float:
            return score

    domain = SeveralDomains([load("repo_quality"), Unscored("")])
    assert not math.isfinite(domain.score("val", domain.labels("val")))


def test_agents_start_from_code_that_all_domains_share_or_from_the_standard_seed() -> None:
    same = several(BOTH)
    assert same.seed_files() == load("repo_quality").seed_files()
    assert not same.calls_model
    mixed = SeveralDomains([load("repo_quality"), freight(None, {})])
    assert mixed.seed_files() == {}
    assert mixed.calls_model


def test_each_domain_reads_the_data_folder_of_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "imo_grading"
    folder.mkdir()
    for split in ("train", "val", "test"):
        (folder / f"{split}.csv").write_text(IMO_ROW.format(split))
    domain = several("repo_quality+imo_grading", tmp_path)
    assert len(domain.items("test")) == len(load("repo_quality").items("test")) + 1
    with pytest.raises(DomainDataError, match="--data"):
        several("repo_quality+imo_grading")


def test_samples_are_drawn_from_each_domain_and_never_from_test() -> None:
    domain = sampled(load(BOTH), 3)
    assert isinstance(domain, SeveralDomains)
    sizes: dict[Split, int] = {"train": 3, "val": 3, "test": 10}
    for split, size in sizes.items():
        names = [item.inputs["domain"] for item in domain.items(split)]
        assert names.count("repo_quality") == names.count("repo_quality_b") == size
    assert domain.staged_items == 6
    assert domain.score("val", right(domain, "val", "repo_quality")) == 0.5
    assert domain.data_sha256 == load(BOTH).data_sha256


def test_equal_domains_in_another_order_are_another_task() -> None:
    assert several(BOTH).data_sha256 != several("repo_quality?rows_seed=7+repo_quality").data_sha256


def test_one_domain_is_not_several() -> None:
    rows: dict[Split, list[Row]] = {"train": [], "val": [], "test": []}
    for split in rows:
        rows[split].append(Row(split, {}, "yes"))
    with pytest.raises(DomainDataError, match="two or more"):
        SeveralDomains([TableDomain("one", rows, smoke_inputs={})])
