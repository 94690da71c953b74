"""`hyperspace dashboard`: a local web page over everything below a results folder."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.cli.commands.dashboard import files
from hyperspace.options.values import port_number

if TYPE_CHECKING:
    from hyperspace.dashboard.safety.session import Session
    from hyperspace.dashboard.settings import Settings

SUMMARY = "show all runs below a folder in a browser, live"
RESULTS = "results"
PORT = 8011
HOST = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "results",
        type=Path,
        nargs="?",
        metavar="RESULTS",
        help=f"folder with runs at or below it (default: {RESULTS})",
    )
    parser.add_argument("--port", type=port_number, help=f"0 takes any free one (default: {PORT})")
    parser.add_argument("--host", help=f"address to listen on (default: {HOST})")
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.add_argument("--steer", action="store_true", help="let its pages change runs, too")
    files.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write files; or serve until Ctrl-C or SIGTERM, which are both fine ways to end."""
    if files.is_asked(args):
        return files.run(args)
    from contextlib import ExitStack, suppress

    from hyperspace.cli.failures import USAGE, cannot_listen
    from hyperspace.kernel.errors import LibraryMissing

    folder = args.results or Path(RESULTS)
    _require_folder(folder)
    try:
        from hyperspace.dashboard.pidfile import present
        from hyperspace.dashboard.safety.session import Session
        from hyperspace.dashboard.server import listening, make_server
    except ImportError as error:
        needs = f"the dashboard needs starlette and uvicorn ({error})"
        raise LibraryMissing(needs, "dashboard", "use hyperspace watch RUN") from error
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        settings = _settings(args, folder)
        try:
            listener, bound = stack.enter_context(listening(settings))
        except OSError as error:
            message = cannot_listen(settings.host, settings.port, error)
            sys.stderr.write(f"hyperspace: {message}\n")
            return USAGE
        session = Session(bound)
        server = make_server(bound, session)
        stack.enter_context(present(bound))
        _announce(bound, session, is_opened=args.open)
        server.run(sockets=[listener])
    return 0


def _settings(args: argparse.Namespace, folder: Path) -> "Settings":
    import secrets

    from hyperspace.dashboard.search.cache import index_folder
    from hyperspace.dashboard.settings import Settings

    results = folder.resolve()
    return Settings(
        results,
        secrets.token_urlsafe(32),
        index_folder(results),
        args.host or HOST,
        PORT if args.port is None else args.port,
        args.steer,
    )


def _require_folder(results: Path) -> None:
    from hyperspace.kernel.errors import RunUsageError

    if not results.is_dir():
        what = "is not a directory" if results.exists() else "does not exist"
        raise RunUsageError(
            f"{results} {what}; name the folder that runs were put into, as --results of "
            "hyperspace pair did"
        )


def _announce(settings: "Settings", session: "Session", *, is_opened: bool) -> None:
    from hyperspace.serve.origin import is_loopback

    if not is_loopback(settings.host):
        sys.stderr.write(
            "hyperspace: other machines may reach this, and read on the way what it sends; over "
            "ssh -L it stays private\n"
        )
    sys.stdout.write(
        f"dashboard of {settings.results} (Ctrl-C stops); open\n  {settings.entrance}\n"
    )
    sys.stdout.flush()
    if is_opened:
        import threading

        # Beside the server: a browser for terminals returns when it is closed.
        threading.Thread(target=_open, args=(settings, session), daemon=True).start()


def _open(settings: "Settings", session: "Session") -> None:
    import webbrowser

    from hyperspace.dashboard.settings import entrance

    if not webbrowser.open(entrance(settings.url, session.ticket())):
        sys.stderr.write("hyperspace: no browser could be opened; open the address above\n")
