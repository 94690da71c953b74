"""What `hyperspace dashboard` writes in place of serving: pages of a run, or a description."""

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--bundle",
        type=Path,
        metavar="RUN",
        help="write the pages of one run as files that open without a server, and end",
    )
    parser.add_argument(
        "--out", "-o", type=Path, metavar="DIR", help="with --bundle: a new or empty folder"
    )
    parser.add_argument(
        "--redact",
        action="store_true",
        help="with --bundle: take out what hyperspace export --redact takes out",
    )
    parser.add_argument(
        "--openapi",
        action="store_true",
        help="print the OpenAPI description of the JSON under /api/, and end",
    )


def is_asked(args: argparse.Namespace) -> bool:
    """Return whether something is to be written and nothing served."""
    return args.openapi or any((args.bundle, args.out, args.redact))


def run(args: argparse.Namespace) -> int:
    """Write what was asked for."""
    from hyperspace.kernel.errors import LibraryMissing, RunUsageError

    given = (args.results, args.port, args.host)
    if args.open or args.steer or any(value is not None for value in given):
        raise RunUsageError(
            "RESULTS, --port, --host, --open and --steer are for pages that are served; --bundle "
            "RUN --out DIR and --openapi write something, and end"
        )
    if args.openapi:
        if any((args.bundle, args.out, args.redact)):
            raise RunUsageError(
                "--openapi prints a description alone; leave --bundle, --out, --redact out"
            )
        from hyperspace.dashboard.api.openapi import openapi
        from hyperspace.dashboard.api.registry import CHANGES, ENDPOINTS
        from hyperspace.kernel.files import pretty_json

        sys.stdout.write(pretty_json(openapi(ENDPOINTS, CHANGES)).decode())
        return 0
    if args.bundle is None:
        raise RunUsageError("--out and --redact go with --bundle RUN; name the run")
    if args.out is None:
        raise RunUsageError("--bundle RUN needs --out DIR: the folder that pages go into")
    try:
        from hyperspace.dashboard.bundle.write import write_bundle
    except ImportError as error:
        needs = f"the pages of the dashboard need starlette ({error})"
        raise LibraryMissing(needs, "dashboard") from error
    manifest = write_bundle(args.bundle, args.out, redact=args.redact)
    pages = sum(bool(file.title) for file in manifest.files)
    sys.stdout.write(f"{pages} pages in {args.out}; open {args.out / 'index.html'}\n")
    for sentence in manifest.left_out:
        sys.stdout.write(f"left out: {sentence}\n")
    return 0
