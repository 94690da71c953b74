"""The page of all launch options, made of their declarations: docs/reference/options.md.

`python -m hyperspace.cli.arguments.table > docs/reference/options.md` writes it again.
"""

import sys
from collections.abc import Iterator
from typing import get_args

import msgspec

from hyperspace.cli.arguments.declared import Records, help_text, option_names
from hyperspace.cli.arguments.launching import Launching
from hyperspace.options.option import (
    GROUPS,
    KEPT,
    LAUNCHES,
    Command,
    Declared,
    declared,
)
from hyperspace.options.solo import Annealing
from replication.options import SoloOptions
from transfer_experiment.options import ArenaOptions, FleetOptions, PairOptions

RECORDS: Records = (PairOptions, SoloOptions, FleetOptions, ArenaOptions, Annealing, Launching)
HEAD = """\
# Launch options

Every option of `hyperspace pair`, `solo`, `fleet`, `arena`; `levels` and `resume` take some, too.
This page is made of their declarations (`python -m hyperspace.cli.arguments.table`). `--help` shows
those marked with a star, `--help-all` all. `hyperspace.toml` may set any but what only a person may
say (`--trust`, `--key-to`, `--extension`) and what is printed, as `max-usd = 5` or
`models = ["A", "B"]`: a launch tells which it took, its record has them, and `hyperspace config`
shows all.

What becomes of a value after the start that said it:
"""


def page(records: Records = RECORDS) -> str:
    """Return the page of the options that some records declare."""
    parts = [HEAD, *(f"- **{kept}**: {text}" for kept, text in KEPT.items())]
    for group, about in GROUPS.items():
        if rows := _rows(records, group):
            parts += [f"\n## {group}\n{about[0].upper()}{about[1:]}.\n"]
            parts += ["| option | for | kept | meaning |", "|---|---|---|---|", *rows]
    return "\n".join(parts) + "\n"


def declared_for(command: Command, records: Records = RECORDS) -> Iterator[Declared]:
    """Yield the options that some records declare for a command."""
    for record in records:
        for option in declared(record):
            if command in _takers(record, option):
                yield option


def _takers(record: type[msgspec.Struct], option: Declared) -> set[Command]:
    """Return the commands that take an option of a record."""
    launched_by = getattr(record, "launched_by", None) or getattr(record, "kind", None)
    return {
        command
        for command in option.option.commands
        if launched_by in (None, command) or command in ("levels", "resume")
    }


def _rows(records: Records, group: str) -> list[str]:
    """Return a row for each option of a group; one that commands declare alike stands once."""
    rows: dict[str, set[Command]] = {}
    for record in records:
        for option in declared(record):
            if option.option.group != group or option.option.hidden:
                continue
            commands = _takers(record, option)
            if commands & {*LAUNCHES}:
                rows.setdefault(_row(option), set()).update(commands)
    return [row.format(", ".join(c for c in _ALL if c in rows[row])) for row in rows]


def _row(option: Declared) -> str:
    star = " *" if option.option.common else ""
    flags = ", ".join(f"`{name}`" for name in option_names(option))
    text = (
        help_text(option)
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("{", "{{")
        .replace("}", "}}")
    )
    return f"| {flags}{star} | {{}} | {option.option.kept} | {text} |"


_ALL: tuple[Command, ...] = get_args(Command)

if __name__ == "__main__":
    sys.stdout.write(page())
