"""Builds the circle-packing domain and checks answers to it."""

from fractions import Fraction
from typing import Self

from hyperspace.tasks.base import SPLITS, Item
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.packing.items import SMOKE, draw_items
from hyperspace.tasks.packing.references import PUBLIC_RECORDS, REFERENCES
from hyperspace.tasks.packing.score import CPU_S, closeness, sum_of_radii
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome


class PackingDomain(GradedDomain):
    """Circles of any radii in a rectangle; a larger sum of radii is better."""

    def __init__(self, options: RowsOptions) -> None:
        """Make the items; numbers of circles and rectangles are fixed, seeds are drawn."""
        super().__init__(
            "packing",
            {split: draw_items(split, options.rows_seed) for split in SPLITS},
            smoke_inputs={"n": SMOKE, "width": 1.0, "height": 1.0, "seed": 0},
            metric="mean closeness to the best known",
            sealed=sorted([n, width, total] for (n, width), total in REFERENCES.items()),
            seed_files=seed_files("packing"),
            task_files=task_files("packing"),
            answer_limits=AnswerLimits(cpu_s=CPU_S),
        )
        self._rows_seed = options.rows_seed

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Check a packing exactly; see `Verified`."""
        try:
            total = sum_of_radii(item.inputs, artefact)
        except ValueError as error:
            return Outcome(0.0, str(error))
        n, width = item.inputs["n"], item.inputs["width"]
        is_public = width == 1 and n in PUBLIC_RECORDS
        return finding(total, REFERENCES[n, width], is_public=is_public)

    def renewed(self, epoch: int) -> Self:
        """The same task with other seeds in validation; see `Renewable`."""
        return self.with_items({"val": draw_items("val", self._rows_seed, epoch)})


make = generated("packing", RowsOptions)(PackingDomain)


def finding(total: Fraction, reference: float, *, is_public: bool) -> Outcome:
    """The outcome of a valid packing.

    Args:
        total: Its sum of radii.
        reference: The best known one; a larger sum is a record claim, and `ratio` says so.
        is_public: The best packing is published: models may recall it.
    """
    ratio = float(total / Fraction(str(reference)))
    claim = ", above the reference: a record claim" if ratio > 1 else ""
    return Outcome(
        closeness(total, reference),
        f"sum of radii {float(total):.10f}, ratio {ratio:.10f}{claim}",
        details={"sum": float(total), "ratio": ratio, "public_record": int(is_public)},
    )
