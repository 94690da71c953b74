"""What a research run came to, for a person or a program."""

from typing import Any

from hyperspace.cli.printing.streaming import print_json
from hyperspace.cli.printing.terminal import console


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
    if (held_out := fields["held_out"]) is not None:
        out.print(
            f"held out, judged once: {metric} {held_out['baseline']} as it is, {held_out['score']} "
            f"by idea {held_out['idea']}",
            markup=False,
            soft_wrap=True,
        )
    bits = fields["validation"]["most_bits"]
    out.print(
        f"scores that ideas were shown could tell them at most {bits:g} bits about the data that "
        "the search was judged on",
        markup=False,
        soft_wrap=True,
    )
    out.print(f"digest {fields['digest']}", markup=False)
    out.print(f"results in {fields['run']}", markup=False, soft_wrap=True)
