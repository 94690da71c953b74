"""What a research run came to, for a person or a program."""

from typing import Any

from hyperspace.printing.streaming import print_json
from hyperspace.printing.terminal import console


def print_research(fields: dict[str, Any], *, as_json: bool) -> None:
    """Print the fields of a run's summary.json."""
    if as_json:
        print_json(fields)
        return
    from rich.table import Table

    metric, out = fields["metric"], console()
    table = Table("epoch", "ideas", "with a score", f"best {metric}", box=None)
    for epoch in fields["epochs"]:
        table.add_row(*(str(epoch[name]) for name in ("epoch", "ideas", "scored", "best")))
    out.print(table)
    states = ", ".join(f"{count} {state}" for state, count in fields["states"].items())
    out.print(
        f"{metric} {fields['baseline']} as it is, {fields['best']} by idea {fields['best_idea']} "
        f"({fields['goal']} counts); {states}; {fields['calls']} calls, "
        f"{fields['cpu_s']} CPU seconds of jobs",
        markup=False,
        soft_wrap=True,
    )
    out.print(f"digest {fields['digest']}", markup=False)
    out.print(f"results in {fields['run']}", markup=False, soft_wrap=True)
