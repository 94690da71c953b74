"""Makes the published splits: `python -m replication.data.prepare [PATH_OR_URL] --out DIR`.

The benchmark's own table is large and not ours, so the project holds neither it nor the splits.
What is made from it is held against the SHA-256 of the published splits: no other table gives them.
Exit codes: 0 done, 1 failed or different, 2 used wrongly.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.files import pretty_json, sha256_hex
from hyperspace.reporting.command_line import Parser
from hyperspace.wall_clock import utc_now
from replication.data.kept import check_folder, first_difference, keep
from replication.data.source import BENCHMARK, SourceError, fetch
from replication.data.splits import PUBLISHED_KEPT, make_splits

PROGRAM = "python -m replication.data.prepare"


def main(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    args = _parser().parse_args(arguments)
    try:
        return _prepare(args)
    except RunError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2 if isinstance(error, RunUsageError) else 1


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        description="Make train.csv, val.csv and test.csv of the published experiments from "
        "IMO-GradingBench (google-deepmind/superhuman, CC BY 4.0).",
    )
    add = parser.add_argument
    add("source", nargs="?", metavar="PATH_OR_URL", default=BENCHMARK, help="gradingbench.csv")
    add("--out", type=Path, metavar="DIR", help="where the splits go")
    add("--check", type=Path, metavar="DIR", help="compare with the splits in DIR, row by row")
    add("--sha256", metavar="HEX", help="what the source must hash to")
    add(
        "--other-data",
        action="store_true",
        help="accept a source whose splits are not the published ones",
    )
    return parser


def _prepare(args: argparse.Namespace) -> int:
    if args.out is None and args.check is None:
        raise RunUsageError("give --out DIR to write the splits, or --check DIR to compare")
    for option, folder in (("--out", args.out), ("--check", args.check)):
        if folder is not None:
            check_folder(option, folder)
    source = fetch(args.source, args.sha256)
    print(f"source {source.address}\nSHA-256 {source.sha256}")
    splits = make_splits(source.data)
    which = "are NOT" if splits.differing else "are"
    print(f"{splits.kept} rows kept; splits {which} the published ones")
    if args.check is not None:
        if difference := first_difference(splits.files, args.check):
            raise SourceError(f"{args.check} is different: {difference}")
        print(f"{args.check} is the same, row by row")
    if args.out is not None:
        if splits.differing and not args.other_data:
            raise SourceError(
                f"this source does not give the published splits ({', '.join(splits.differing)} "
                f"differ; it has {splits.kept} rows with 0, 1, 6 or 7 points, the benchmark "
                f"{PUBLISHED_KEPT}); nothing was written; --other-data takes it as it is"
            )
        record = {
            "source": source.address,
            "source_sha256": source.sha256,
            "rows_kept": splits.kept,
            "published": not splits.differing,
            "files": {f"{name}.csv": sha256_hex(data) for name, data in splits.files.items()},
            "prepared_utc": utc_now(),
        }
        written = keep(args.out, splits.files, pretty_json(record))
        print(f"{'wrote' if written else 'nothing to do: already in'} {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
