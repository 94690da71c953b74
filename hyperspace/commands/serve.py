"""`hyperspace serve`: a local chat-completions server, to try a setup without paying."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.serve.server import ChatServer

SUMMARY = "answer chat completions on a local port with offline policies or scripts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("--port", type=_port, default=8000, help="0 takes any free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--brain",
        action="append",
        default=[],
        metavar="NAME=POLICY",
        help="let POLICY[?key=value], or a script FILE.json, answer for the model NAME; "
        "every offline policy also answers under its own name",
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from agents.serve.brains import Brains
    from agents.serve.server import ChatServer

    brains = Brains.from_specs(args.brain)
    try:
        server = ChatServer(brains, args.host, args.port)
    except OSError as error:
        _complain(args, error)
        return 2
    with server:
        _serve(server)
    return 0


def _serve(server: "ChatServer") -> None:
    models = ", ".join(server.brains.names())
    sys.stdout.write(f"serving {models} at {server.url} (Ctrl-C stops)\n")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.stdout.write(f"stopped after {server.stats.snapshot()['requests']} requests\n")


def _complain(args: argparse.Namespace, error: OSError) -> None:
    sys.stderr.write(
        f"hyperspace: cannot listen on {args.host}:{args.port}: {error.strerror}; "
        "choose another --port, or 0 for any free one\n"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; a port is a number from 0 to 65535")
    return int(text)
