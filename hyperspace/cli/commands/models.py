"""`hyperspace models`: which models can be asked from here, and whether they answer."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.lookup.catalogue import Configured, Ping

SUMMARY = "list the providers of models that are configured here, and ask them on demand"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--ping",
        nargs="*",
        metavar="NAME",
        help="ask these models one short question each (a paid one costs a few tokens); "
        "without names, ask every provider whose key is set for its list, which is free",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List, ask where asked to; 1 if something that was asked did not answer."""
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.lookup.catalogue import configured

    listed = configured()
    pings = [] if args.ping is None else _ping(args.ping, listed)
    if args.json:
        fields = {"providers": listed, "offline": _offline_names(), "pings": pings}
        print_json(fields, indent=2)
    else:
        _print_table(listed)
        for ping in pings:
            verdict = "ok    " if ping.ok else "FAILED"
            print(f"{verdict} {ping.name}: {ping.said} ({ping.seconds:.2f} s)")
    return 0 if all(ping.ok for ping in pings) else 1


def _ping(names: list[str], listed: "list[Configured]") -> "list[Ping]":
    import anyio

    from hyperspace.lookup.catalogue import ping_model, ping_provider

    ready = [entry.provider for entry in listed if entry.key_set]
    if not (names or ready):
        sys.stderr.write("hyperspace: no key is set, so there is nobody to ask; name a model\n")
    questions = [(ping_model, name) for name in names] or [(ping_provider, name) for name in ready]
    return [anyio.run(ask, name) for ask, name in questions]


def _print_table(listed: "list[Configured]") -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console

    table = Table(title="providers")
    for title in ("models", "key", "set", "address", "asked with"):
        table.add_column(title, overflow="fold")
    for entry in listed:
        is_set = "yes" if entry.key_set else "no" if entry.key_needed else "no (not needed)"
        table.add_row(entry.models, entry.key, is_set, entry.base_url, entry.sdk)
    out = console()
    out.print(table)
    out.print(f"without any key: {', '.join(_offline_names())}", markup=False)
    out.print(
        "any other endpoint: NAME@URL, and openai-responses:, anthropic: or fireworks: before it"
    )


def _offline_names() -> list[str]:
    from hyperspace.models.names import OFFLINE
    from hyperspace.offline import registry

    return [f"{OFFLINE}{name}" for name in registry.names()]
