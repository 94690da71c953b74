"""Builds the sorting-network domain and checks answers to it."""

from hyperspace.tasks.base import Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import NoOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.sortnet.score import CPU_S, TRAIN_BEST, grade, read_network, unsorted_inputs

# Fewest comparators known, proved up to 12 wires; shared/facts/domains.md, E1. 5: the smoke item.
BEST = TRAIN_BEST | {5: 9, 10: 29, 13: 45, 15: 56, 17: 71, 18: 77, 19: 85, 20: 91}
WIRES: dict[Split, tuple[int, ...]] = {
    "train": tuple(TRAIN_BEST),
    "val": (10, 13, 15),
    "test": (17, 18, 19, 20),
}


class SortnetDomain(GradedDomain):
    """Sorting networks on so many wires; fewer comparators are better."""

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Check a network on every input of zeros and ones; see `Verified`."""
        n: int = item.inputs["n"]
        best = BEST[n]
        try:
            network = read_network(n, artefact)
        except ValueError as error:
            return Outcome(0.0, str(error))
        size, unsorted = len(network), unsorted_inputs(n, network)
        return Outcome(
            grade(n, best, size, unsorted),
            reason(n, best, size, unsorted),
            details={"size": size, "unsorted": unsorted, "best": best},
        )


@generated("sortnet", NoOptions)
def make(_: NoOptions) -> SortnetDomain:
    """Make the domain."""
    items: dict[Split, list[Item]] = {
        split: [Item(f"{split}-{index:04d}", {"n": n}) for index, n in enumerate(wires)]
        for split, wires in WIRES.items()
    }
    return SortnetDomain(
        "sortnet",
        items,
        smoke_inputs={"n": 5},
        sealed=sorted(BEST.items()),
        seed_files=seed_files("sortnet"),
        task_files=task_files("sortnet"),
        answer_limits=AnswerLimits(cpu_s=CPU_S),
    )


def reason(n: int, best: int, size: int, unsorted: int) -> str:
    """Say in one line what a network does; arguments as of `grade`."""
    if unsorted:
        return f"{unsorted} of {2**n} inputs of zeros and ones come out unsorted"
    if size < best:
        return f"sorts with {size} comparators, fewer than the {best} known: a record claim"
    return f"sorts with {size} comparators; {best} are known to do"
