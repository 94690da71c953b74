"""Builds the support domain: pages, questions, and what answers them."""

from typing import Self

import msgspec

from hyperspace.tasks.base import Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsSeed, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.streams import stream
from hyperspace.tasks.support.questions import draw_question
from hyperspace.tasks.support.score import Expected, digest, grade
from hyperspace.tasks.support.world import draw_world

_NAME = "support"
_SIZES: dict[Split, int] = {"train": 120, "val": 120, "test": 240}
_SMOKE = {
    "text": "Velado shows 20 grams on the scale. Velado keeps up to 31 recordings.",
    "question": "What is the weight of Velado?",
}
_SMOKE_EXPECTED: Expected = {"products": ["Velado"], "facts": [["Velado", 20]]}
_NO_EXPECTED = "EXPECTED: dict[str, Expected] = {}"


class SupportOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of `support`.

    Attributes:
        rows_seed: Seed of pages and questions.
        beyond: Whether three in ten questions ask for a yearly sum, a superlative, or for what
            the page does not say.
    """

    rows_seed: RowsSeed = 1
    beyond: bool = False


class Support(GradedDomain):
    """Questions about pages of facts; each has a page of its own."""

    def __init__(self, options: SupportOptions) -> None:
        self._options = options
        self._expected = {digest(_SMOKE): _SMOKE_EXPECTED}
        items: dict[Split, tuple[Item, ...]] = {s: self._draw(s, 0) for s in _SIZES}
        super().__init__(
            _NAME,
            items,
            smoke_inputs=dict(_SMOKE),
            metric="mean share of facts",
            sealed=self._expected,
            seed_files=seed_files(_NAME),
            task_files=self._files(items["train"]),
        )

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Grade an answer; see `Verified`."""
        expected = self._expected[digest(item.inputs)]
        result = grade(expected, artefact)
        facts = len(expected["facts"])
        reason = (
            f"{result.right} of {facts} facts beside their product's name, {result.nameless} "
            f"without a name, {result.foreign} numbers not asked for, {result.words} words"
        )
        details = {name: value for name, value in result._asdict().items() if name != "score"}
        return Outcome(result.score, reason, details={**details, "facts": facts})

    def renewed(self, epoch: int) -> Self:
        """The same task with validation questions of another epoch; see `Renewable`."""
        return self.with_items({"val": self._draw("val", epoch)})

    def _draw(self, split: Split, epoch: int) -> tuple[Item, ...]:
        """Draw a split; what answers its questions is kept."""
        part = f"{split}/{epoch}" if epoch else split
        rng = stream(_NAME, self._options.rows_seed, part)
        items: list[Item] = []
        for number in range(_SIZES[split]):
            world = draw_world(rng)
            question = draw_question(world, split, self._options.beyond, rng)
            inputs = {"text": world.text, "question": question.text}
            items.append(Item(f"{part.replace('/', '-')}-{number:04d}", inputs))
            self._expected[digest(inputs)] = question.expected
        return tuple(items)

    def _files(self, train: tuple[Item, ...]) -> dict[str, bytes]:
        """Lay out README and scorer; the scorer gets what answers the train questions."""
        files = task_files(_NAME)
        known = {digest(item.inputs): self._expected[digest(item.inputs)] for item in train}
        lines = "".join(f"    {key!r}: {expected!r},\n" for key, expected in known.items())
        table = f"EXPECTED: dict[str, Expected] = {{\n{lines}}}"
        text = files["score.py"].decode().replace(_NO_EXPECTED, table, 1)
        return files | {"score.py": text.encode()}


make = generated(_NAME, SupportOptions)(Support)
