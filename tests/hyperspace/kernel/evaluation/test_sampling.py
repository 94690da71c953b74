"""`--eval-samples`: the same part of the data in every run."""

import pytest

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.tasks.registry import load
from tests.support.tasks.freight import freight

WHOLE = load("repo_quality")


def ids(samples: int | None, split: str) -> list[str]:
    domain = sampled(WHOLE, samples)
    return [item.id for item in domain.items("train" if split == "train" else "val")]


@pytest.mark.parametrize("split", ["train", "val"])
def test_fewer_samples_are_a_part_of_more_and_keep_their_order(split: str) -> None:
    everything, some, few = ids(None, split), ids(9, split), ids(4, split)
    assert (len(some), len(few)) == (9, 4)
    assert few == [id_ for id_ in some if id_ in few]
    assert some == [id_ for id_ in everything if id_ in some] != everything[:9]


def test_test_stays_whole_and_scores_are_over_what_is_left() -> None:
    domain = sampled(WHOLE, 5)
    assert domain.items("test") == WHOLE.items("test")
    assert domain.score("val", domain.labels("val")) == 1.0
    assert domain.data_sha256 == WHOLE.data_sha256


def test_more_samples_than_there_are_is_the_whole() -> None:
    assert ids(10_000, "val") == ids(None, "val")


def test_a_domain_that_cannot_be_cut_down_says_so() -> None:
    with pytest.raises(RunUsageError, match="freight has no method `sampled`"):
        sampled(freight(None, {}), 5)
