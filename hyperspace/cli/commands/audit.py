"""`hyperspace audit`: what the guard did in a run, what got through, what is missing."""

import argparse
from pathlib import Path

from hyperspace.options.values import chain_head, whole_number
from hyperspace.reporting.command_line import add_json

SUMMARY = "list what the guard did in a run; exit code 1 if anything got through"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("run", nargs="?", type=Path, metavar="RUN", help="run folder")
    what.add_argument(
        "--selftest", action="store_true", help="instead, attack the sandboxes of this machine"
    )
    parser.add_argument("--sandbox", metavar="NAME", help="with --selftest: only this sandbox")
    parser.add_argument("--family", metavar="NAME", help="with --selftest: only these attacks")
    parser.add_argument("--agent", metavar="NAME", help="only this agent")
    parser.add_argument(
        "--generation", type=_generation, metavar="N", help="only this generation, or `test`"
    )
    parser.add_argument(
        "--kind",
        metavar="KIND",
        help="only this kind: edit-scope, policy, budget, attack, damage or mark-space",
    )
    parser.add_argument(
        "--head",
        type=chain_head,
        action="append",
        default=[],
        metavar="HEX",
        help="a head of the audit chain that you noted, which must be in it; repeatable",
    )
    parser.add_argument(
        "--anchor",
        type=Path,
        metavar="FILE",
        help="the file to which the run appended its heads; all of them must be in the chain",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the record and the verdict; 1 if anything got through or the chain does not verify."""
    from hyperspace.kernel.errors import RunUsageError

    if args.selftest:
        if any((args.agent, args.generation is not None, args.kind, args.head, args.anchor)):
            raise RunUsageError(
                "--agent, --generation, --kind, --head and --anchor go with the audit of a run; "
                "--selftest takes --sandbox and --family"
            )
        from hyperspace.cli.selftest import run_selftest

        return run_selftest(args)
    from hyperspace.audit.audit import Filter, read_audit
    from hyperspace.cli.printing.audit_text import print_audit
    from hyperspace.cli.printing.streaming import print_ascii
    from transfer_experiment.result import result_on_record

    if args.sandbox is not None or args.family is not None:
        raise RunUsageError(
            "--sandbox and --family go with --selftest; the audit of a run attacks nothing"
        )
    wanted = Filter(args.agent, args.generation, args.kind)
    audit = read_audit(args.run, wanted, args.head, args.anchor, result_on_record)
    if args.json:
        print_ascii(audit)
    else:
        print_audit(audit)
    return 0 if audit.passed else 1


def _generation(text: str) -> int | str:
    try:
        return text if text == "test" else whole_number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, and not `test`") from None
