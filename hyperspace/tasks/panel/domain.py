"""Builds the panel domain from its options; docs/domains/panel.md says what they mean."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from hyperspace.tasks.options import RowsSeed, generated
from hyperspace.tasks.panel.kinds import Kind, Regime, draw_kinds, mended
from hyperspace.tasks.panel.rows import Sharing, draw_rows
from hyperspace.tasks.streams import stream
from hyperspace.tasks.table import TableDomain

_HEAD = '''"""Answers questions of several kinds, yes or no: each kind has a rule of its own."""

from typing import Any

'''
_TAIL = '''

class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the prediction, "yes" or "no", and the (empty) conversation."""
        rule = RULES[inputs["kind"]]
        prediction = "yes" if rule(inputs["a"], inputs["b"], inputs["c"]) else "no"
        return prediction, []
'''
_DESCRIPTION = """# Yes or no, by many small rules

`forward(inputs)` gets `{"kind": NAME, "a": x, "b": y, "c": z}` with figures from 0 to 1 and
answers `yes` or `no`. Each kind of question has a small rule of its own on the three figures, and
a function of that name in the task agent. Some of these functions have defects, which the train
items show. The score of a split is the share of right answers. No model is needed.
"""


class PanelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a panel, as they stand after the `?` of its name.

    Attributes:
        kinds: How many kinds of question.
        defects: How many defects each branch kind of the seed agent has.
        faulty: In how many kinds the seed agent has defects; None for all.
        per: Train rows of a kind.
        rows_seed: Seed of kinds and rows.
        regime: Which share of kinds are traps.
        sharing: What fresh rows are labelled by.
    """

    kinds: Annotated[int, msgspec.Meta(ge=1, le=50)] = 10
    defects: Annotated[int, msgspec.Meta(ge=1, le=6)] = 2
    faulty: Annotated[int, msgspec.Meta(ge=1, le=50)] | None = None
    per: Annotated[int, msgspec.Meta(ge=2, le=200)] = 40
    rows_seed: RowsSeed = 1
    regime: Regime = "additive"
    sharing: Sharing = "helps"


@generated("panel", PanelOptions)
def make(chosen: PanelOptions) -> TableDomain:
    """Make the domain: its rows, and a seed agent that goes with them."""
    kinds = draw_kinds(
        chosen.kinds, chosen.defects, chosen.regime, stream("panel", chosen.rows_seed, "kinds")
    )
    if chosen.faulty is not None:
        kinds = mended(kinds, chosen.faulty, stream("panel", chosen.rows_seed, "faulty"))
    return TableDomain(
        "panel",
        draw_rows(kinds, chosen.per, chosen.sharing, chosen.rows_seed),
        smoke_inputs={"kind": kinds[0].name, "a": 0.5, "b": 0.5, "c": 0.5},
        calls_model=False,
        seed_files={"task_agent.py": seed_agent(kinds).encode()},
        description=_DESCRIPTION,
    )


def seed_agent(kinds: Sequence[Kind]) -> str:
    """Return the source of the task agent that has every kind's seed rule."""
    functions = [kind.seed.code(kind.name) for kind in kinds]
    table = "".join(f'    "{kind.name}": {kind.name},\n' for kind in kinds)
    return "\n\n".join([_HEAD.rstrip("\n") + "\n", *functions, f"RULES = {{\n{table}}}\n"]) + _TAIL
