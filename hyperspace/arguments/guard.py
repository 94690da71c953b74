"""Options about what the guard does with what agents write, and what agents get to see."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.workspace.visibility import Visibility
    from guards.content.modes import Mode


def add_guard(parser: argparse.ArgumentParser) -> None:
    """Declare `--policy` and `--visible`."""
    parser.add_argument(
        "--policy",
        action="append",
        type=_policy,
        default=[],
        metavar="NAME=MODE",
        help="secrets, growth, stop_signals, score_claims or peer_instructions = flag, rewrite, "
        "reject or off; repeatable (default: secrets=reject, the others flag)",
    )
    parser.add_argument(
        "--visible",
        type=_visibility,
        metavar="SPLIT=DEGREE,...",
        help="what agents see of their results: train=full|scores|none,val=scores|none,test=none "
        "(default: train=full,val=scores,test=none)",
    )


def policies_of(args: argparse.Namespace) -> "dict[str, Mode]":
    """The mode of each content policy."""
    from guards.content.modes import all_modes

    return all_modes(args.policy)


def visibility_of(args: argparse.Namespace) -> "Visibility":
    """What agents see of their results."""
    from agents.workspace.visibility import Visibility

    return args.visible or Visibility()


def _policy(text: str) -> "tuple[str, Mode]":
    from guards.content.modes import parse_mode

    try:
        return parse_mode(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _visibility(text: str) -> "Visibility":
    from agents.workspace.visibility import parse_visibility

    try:
        return parse_visibility(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
