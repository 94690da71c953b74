"""Telling what a run came to where that is nothing, and the exit code that follows."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from hyperspace.cli.failures import FAILED
from hyperspace.kernel.events import Nothing
from hyperspace.kernel.printable_error import printable_error
from hyperspace.reporting.lines import counted

DONE: Final = 0


def tell_nothing(run: str, nothing: Mapping[str, Nothing], *, whole: bool) -> int:
    """Tell on standard error which agents came to nothing, and what to do; return the exit code.

    Args:
        run: The run's folder.
        nothing: What is said of each agent that came to nothing.
        whole: Whether the run as a whole came to nothing: that is no success.
    """
    for agent, said in nothing.items():
        told = f"{agent} came to nothing: {said.sentence}; {said.advice(run, agent)}"
        print(f"hyperspace: {told}", file=sys.stderr)
    return FAILED if whole else DONE


def tell_set(results: Sequence[Mapping[str, Any]]) -> int:
    """Tell which finished runs of a set came to nothing; return the exit code.

    A set is a success if one of its runs is: arms and controls are there to be compared.
    """
    for fields in results:
        nothing = msgspec.convert(fields.get("nothing", {}), dict[str, Nothing])
        if fields.get("came_to_nothing"):
            tell_nothing(fields["run"], nothing, whole=True)
    useless = sum(bool(fields.get("came_to_nothing")) for fields in results)
    if not useless:
        return DONE
    runs = counted(len(results), "finished run")
    print(f"hyperspace: {useless} of {runs} came to nothing", file=sys.stderr)
    return FAILED if useless == len(results) else DONE


def tell_ideas(results: Sequence[Mapping[str, Any]]) -> int:
    """Tell which finished research runs came to nothing; return the exit code, as of a set.

    Args:
        results: The fields of each one's summary.json.
    """
    useless = [fields for fields in results if fields.get("came_to_nothing")]
    for fields in useless:
        run, said = fields["run"], fields["nothing"]
        ideas = counted(said["ideas"], "idea")
        reason = printable_error(said["reason"])
        told = f"{said['count']} of {ideas} ended as {said['state']}: {reason}"
        advice = f"look at {run}/ideas/{said['latest']:04d}, or try a larger model"
        print(f"hyperspace: {run} came to nothing: {told}; {advice}", file=sys.stderr)
    return FAILED if len(useless) == len(results) > 0 else DONE
