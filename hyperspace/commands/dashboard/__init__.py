"""`hyperspace dashboard`: a local web page over everything below a results folder."""

import argparse
import sys
from pathlib import Path

from evolution.state.options.values import port_number

SUMMARY = "show all runs below a folder in a browser, live"
PORT = 8011


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "results",
        type=Path,
        nargs="?",
        default=Path("results"),
        metavar="RESULTS",
        help="folder with runs at or below it (default: results)",
    )
    parser.add_argument(
        "--port", type=port_number, default=PORT, help=f"0 takes any free one (default: {PORT})"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    import secrets
    import tempfile

    from dashboard.server import listening, make_server
    from dashboard.settings import Settings

    with tempfile.TemporaryDirectory(prefix="hyperspace-dashboard-") as cache:
        settings = Settings(
            args.results, secrets.token_urlsafe(32), Path(cache), args.host, args.port
        )
        with listening(settings) as (listener, bound):
            sys.stdout.write(f"dashboard of {args.results} at http://{bound.host}:{bound.port}/\n")
            sys.stdout.flush()
            make_server(bound).run(sockets=[listener])
    return 0
