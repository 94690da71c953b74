"""`hyperspace config`: what your own files say of launch options, and which they may set."""

import argparse
from typing import TYPE_CHECKING

from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.cli.defaults import DefaultsFile

SUMMARY = "show defaults of launch options from hyperspace.toml, here and of your own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--accept",
        action="store_true",
        help="from now on follow hyperspace.toml in this folder, as it is now",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Show what files say, after accepting the one here where asked to."""
    from hyperspace.cli.defaults import accept, files
    from hyperspace.cli.printing.streaming import print_json

    if args.accept:
        accept()
    found = files()
    rows = _rows(found)
    waiting = [str(file.path) for file in found if not file.is_accepted]
    if args.json:
        print_json({"defaults": rows, "not_accepted": waiting}, indent=2)
        return 0
    _print_table(rows)
    for path in waiting:
        print(f"{path} does not count until you accept it: hyperspace config --accept")
    return 0


def _rows(found: "list[DefaultsFile]") -> list[dict[str, str | None]]:
    """Return a row for each option that a file may set."""
    from hyperspace.cli.arguments.declared import help_text
    from hyperspace.cli.defaults import configurable, key

    said = {key(default.option): default for file in found for default in file.defaults}
    return [
        {
            "option": name,
            "value": str(said[name].value) if name in said else None,
            "file": str(said[name].file) if name in said else None,
            "meaning": help_text(declaration),
        }
        for name, (declaration, *_) in sorted(configurable().items())
    ]


def _print_table(rows: list[dict[str, str | None]]) -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console

    table = Table(title="what a file may set")
    for title in ("option", "value", "file", "meaning"):
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(text or "" for text in row.values()))
    console().print(table)
