"""Builds the kernel domain: items are kernels of sizes, run on inputs that only the host draws."""

import hashlib
import inspect
import re
from importlib import resources
from typing import Any, Self

from hyperspace.tasks.base import DomainDataError, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.streams import stream
from hyperspace.tasks.vx.kernels import KERNELS, Sizes
from hyperspace.tasks.vx.score import RUNS, measure

_NAME = "vx"
_ROUNDS = 12
_SIZES: dict[Split, tuple[tuple[str, Sizes], ...]] = {
    "train": (
        ("descent", {"walkers": 64, "depth": 5, "rounds": _ROUNDS}),
        ("descent", {"walkers": 128, "depth": 6, "rounds": _ROUNDS}),
        ("prefix", {"words": 512}),
        ("prefix", {"words": 1024}),
        ("match", {"words": 256, "patterns": 16}),
        ("match", {"words": 384, "patterns": 24}),
    ),
    "val": (
        ("descent", {"walkers": 96, "depth": 6, "rounds": _ROUNDS}),
        ("prefix", {"words": 768}),
        ("match", {"words": 320, "patterns": 24}),
    ),
    "test": (
        ("descent", {"walkers": 192, "depth": 6, "rounds": _ROUNDS}),
        ("descent", {"walkers": 160, "depth": 4, "rounds": _ROUNDS}),
        ("prefix", {"words": 1536}),
        ("prefix", {"words": 2048}),
        ("match", {"words": 512, "patterns": 56}),
        ("match", {"words": 448, "patterns": 40}),
    ),
}
_FRESH: dict[str, tuple[Sizes, ...]] = {
    "descent": tuple(
        {"walkers": walkers, "depth": depth, "rounds": rounds}
        for walkers in range(72, 185, 8)
        for depth in (4, 5, 6)
        for rounds in (9, 10, 11, 13)
    ),
    "prefix": tuple({"words": words} for words in range(520, 2041, 8) if words % 256),
    "match": tuple(
        {"words": words, "patterns": patterns}
        for words in range(200, 505, 8)
        for patterns in (20, 28, 36)
    ),
}
"""Sizes of which validation of later epochs is drawn; none of them is a size of any split."""


class Vx(GradedDomain):
    """Programs for the machine, one for each kernel and size."""

    def __init__(self, options: RowsOptions) -> None:
        self._rows_seed = options.rows_seed
        items: dict[Split, tuple[Item, ...]] = {
            split: tuple(
                Item(f"{split}-{number:04d}", _inputs(kernel, sizes))
                for number, (kernel, sizes) in enumerate(_SIZES[split])
            )
            for split in _SIZES
        }
        super().__init__(
            _NAME,
            items,
            smoke_inputs=_inputs("prefix", {"words": 64}),
            metric="mean worth of cycles",
            sealed={"rows_seed": options.rows_seed},
            seed_files=seed_files(_NAME),
            task_files=_task_files(),
            answer_limits=AnswerLimits(characters=1_000_000),
        )

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Run a program on inputs that its own text draws; see `Verified`.

        Whoever knows how they are drawn cannot have their results in the text.
        """
        kernel, sizes = item.inputs["kernel"], item.inputs["sizes"]
        sha256 = hashlib.sha256(artefact.encode("utf-8", "surrogatepass")).hexdigest()
        rng = stream(_NAME, self._rows_seed, f"inputs/{item.id}/{sha256}")
        cases = (KERNELS[kernel].draw(sizes, rng) for _ in range(RUNS))
        result = measure(kernel, sizes, cases, artefact)
        details: dict[str, float | int | str] = {
            "cycles": result.cycles,
            "bundles": result.bundles,
            "slow": KERNELS[kernel].slow(sizes),
            "fast": KERNELS[kernel].fast(sizes),
        }
        return Outcome(result.score, result.reason, details=details)

    def renewed(self, epoch: int) -> Self:
        """The same task with other sizes in validation; see `Renewable`.

        Raises:
            DomainDataError: There are no sizes left for so late an epoch.
        """
        if epoch == 0:
            return self.with_items({"val": self.items("val")})
        last = min(map(len, _FRESH.values()))
        if epoch > last:
            raise DomainDataError(f"{_NAME} has fresh sizes for {last} epochs, not for {epoch}")
        items: list[Item] = []
        for number, kernel in enumerate(_FRESH):
            order = list(_FRESH[kernel])
            stream(_NAME, self._rows_seed, f"sizes/{kernel}").shuffle(order)
            items.append(Item(f"val-{epoch}-{number:04d}", _inputs(kernel, order[epoch - 1])))
        return self.with_items({"val": items})


make = generated(_NAME, RowsOptions)(Vx)


def _inputs(kernel: str, sizes: Sizes) -> dict[str, Any]:
    """What an agent is told about a kernel; the machine is described in README.md."""
    entry = KERNELS[kernel]
    return {
        "kernel": kernel,
        "sizes": dict(sizes),
        "layout": entry.layout(sizes),
        "memory_words": entry.length(sizes),
        "task": entry.task,
        "reference": inspect.getsource(entry.reference),
    }


def _task_files() -> dict[str, bytes]:
    """README and scorer; the scorer gets the texts of the modules that it imports."""
    files = task_files(_NAME)
    folder = resources.files("hyperspace.tasks")
    modules = ("strict_json.py", "vx/machine.py", "vx/kernels.py", "vx/score.py")
    texts = [folder.joinpath(*name.split("/")).read_text("utf-8") for name in modules]
    text = re.sub(r"^from hyperspace\.tasks\..*\n", "", "\n\n".join(texts), flags=re.MULTILINE)
    return files | {"score.py": text.encode()}
