"""`python -m transfer_experiment.run_shared`: a pair, launched as the published experiment was.

    python -m transfer_experiment.run_shared --models A B --iterations 20 --seed 42 [--budget N M]

This is `hyperspace pair` under its published flags, and becomes that command: what else `pair`
knows can follow, such as --data, --results or --dry-run. The domain is the published one unless
--domain names another.
"""

import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

from hyperspace.reporting.command_line import Parser

PUBLISHED_DOMAIN: Final = "imo_grading"
ITERATIONS: Final = "20"
EXAMPLE: Final = """\
All other options are those of hyperspace pair (hyperspace pair --help).

example:
  python -m transfer_experiment.run_shared --models offline/tinker offline/magpie \\
      --domain repo_quality --iterations 3 --results /tmp/shared
"""


def pair_arguments(argv: Sequence[str]) -> list[str]:
    """The arguments of `hyperspace pair` that these published ones mean; exits on a bad one."""
    parser = Parser(
        prog="python -m transfer_experiment.run_shared",
        description="A pair, launched as the published experiment was.",
        epilog=EXAMPLE,
    )
    parser.passes_on = True
    parser.add_argument(
        "--models", nargs=2, required=True, metavar=("A", "B"), help="hyperspace models lists them"
    )
    parser.add_argument(
        "--iterations",
        "--generations",
        metavar="N",
        help="generations (default: those of the run that is there; 20 for a new one)",
    )
    parser.add_argument("--seed", default="42", metavar="N", help="run seed (default: 42)")
    parser.add_argument(
        "--budget", nargs=2, metavar=("N", "M"), help="generations of each agent (default: N, N)"
    )
    parser.add_argument(
        "--domain", default=PUBLISHED_DOMAIN, metavar="D", help=f"default: {PUBLISHED_DOMAIN}"
    )
    args, others = parser.parse_known_args(argv)
    number = "--generations-if-new" if args.iterations is None else "--generations"
    required = {number: args.iterations or ITERATIONS, "--seed": args.seed, "--domain": args.domain}
    options = [part for option in required.items() for part in option]
    budget = ["--budget", *args.budget] if args.budget else []
    return ["--models", *args.models, *options, *budget, *others]


def main() -> NoReturn:
    """Become `hyperspace pair`; this package is below the command line and imports none of it."""
    command = [sys.executable, "-P", "-m", "hyperspace", "pair", *pair_arguments(sys.argv[1:])]
    os.execv(command[0], command)  # noqa: S606  a list of arguments, no shell


if __name__ == "__main__":
    main()
