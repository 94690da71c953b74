"""The domain in one file that `hyperspace domains --new NAME` writes."""

import keyword
import re
from pathlib import Path
from string import Template

from hyperspace.kernel.errors import RunUsageError

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TEMPLATE = Template('''"""The domain $name: replace the task by yours, function by function.

    hyperspace domains $file:$name
    hyperspace domains $file:$name --check
    hyperspace pair --domain $file:$name --models offline/tinker offline/magpie --generations 2

A domain gives agents items without answers, and scores what they predict on the host. The contract
is `hyperspace.tasks.base.Domain`; `TableDomain` keeps it for rows with labels. Where an answer is
more or less good than right or wrong, derive from
`hyperspace.tasks.graded.GradedDomain` and add `verify`.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.table import Row, TableDomain

ROWS = 40  # of each split

# What generation 0 of every agent is. It answers one item at a time: `forward` gets the inputs of
# a row and returns the prediction and a conversation, which is empty where no model is asked.
# Leave room to improve: named constants, a rule that is almost right.
SEED = b\'\'\'"""Says whether a parcel costs extra."""

HEAVY_KG = 3.0
LONG_CM = 90.0


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        extra = inputs["kg"] > HEAVY_KG and inputs["cm"] > LONG_CM
        return "extra" if extra else "normal", []
\'\'\'


def $name(data: Path | None, options: Mapping[str, str]) -> TableDomain:
    """Make the domain.

    Args:
        data: What --data names; None without it.
        options: What stands after a ? behind the name: `$file:$name?key=value`.
    """
    if data is not None or options:
        raise DomainDataError("$name reads no folder and has no options")
    return TableDomain(
        "$name",
        {split: _rows(split) for split in SPLITS},
        smoke_inputs={"kg": 1.0, "cm": 20.0},  # in the form of a row, and in no split
        staged_items=10,  # code that gets none of the first ten right is not evaluated further
        calls_model=False,  # True if the seed asks a model, for which `agent.llm_client` is there
        seed_files={"task_agent.py": SEED},
    )


def _rows(split: Split) -> list[Row]:
    """Draw the rows of a split: the same in every process, others in every split.

    Agents see the rows of train with their labels. They never see those of val, by whose score
    a generation is judged, nor those of test, which are asked once, at the end.
    """
    draw = Random(f"$name {split}")
    return [_row(f"{split}-{number:04}", draw) for number in range(ROWS)]


def _row(id_: str, draw: Random) -> Row:
    kg, cm = round(draw.uniform(0, 10), 3), round(draw.uniform(10, 200), 2)
    label = "extra" if kg > 5 or cm > 120 else "normal"  # the truth that agents are to find
    return Row(id_, {"kg": kg, "cm": cm}, label)  # an id tells nothing of the label
''')


def write_template(name: str, path: Path) -> None:
    """Write the file.

    Args:
        name: The domain's name, which is its function's too.
        path: Where to; the folder exists.

    Raises:
        RunUsageError: The name does not do, or something is there already.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise RunUsageError(
            f"--new {name}: a domain's name is of lower-case letters, digits and underscores, "
            "begins with a letter, and is no word of Python"
        )
    if path.suffix != ".py":
        raise RunUsageError(f"{path}: the file of a domain ends in .py")
    text = _TEMPLATE.substitute(name=name, file=path)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise RunUsageError(
            f"{path} exists and stays as it is; name another file with -o"
        ) from None
