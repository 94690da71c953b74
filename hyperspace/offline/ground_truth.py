"""The truth log: what offline policies did and why, apart from traces, workspaces and digests.

A policy is a pure function of the request, and so is what it owns up to. So the host asks for it
once for every call that is on record, answered or served from an earlier attempt, and appends a
line to `truth.jsonl`. Nothing of it ever stands in a reply: no agent, trace or wire can hold it.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec

from guards.parsing import decode_json
from hyperspace.messages import CallKey
from hyperspace.models.base import UnknownModel
from hyperspace.offline import registry
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.true_action import TrueAction
from hyperspace.tracing.calls import CallRecord, request_of
from hyperspace.tracing.line_file import LineFile

VERSION = 1


class GroundTruthLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The true action of a policy in one model call.

    Attributes:
        version: Version of this record's form.
        agent: Whose call it was.
        generation: In which generation.
        attempt: Number of abandoned attempts at that generation before this one.
        purpose: See `CallKey`.
        item: See `CallKey`.
        ordinal: See `CallKey`.
        policy: The policy's name, options included.
        action: What it did and why.
    """

    version: int = VERSION
    agent: str
    generation: int
    attempt: int
    purpose: str
    item: str
    ordinal: int
    policy: str
    action: TrueAction = msgspec.field(name="deed")

    @property
    def place(self) -> tuple[str, int, CallKey]:
        """The key of a line: a run has one line for each."""
        return self.agent, self.generation, CallKey(self.purpose, self.item, self.ordinal)


def true_action_of(model: str, call: CallRecord) -> TrueAction | None:
    """The true action behind a call; None for models that tell none, and for answers to items.

    Args:
        model: The model's full name, its endpoint included: behind one, nobody owns up.
        call: The call as it is on record.
    """
    policy = _candid(model) if call.error is None else None
    return None if policy is None else policy.true_action(request_of(call))


@cache
def _candid(model: str) -> PlannedPolicy | None:
    try:
        return registry.candid(model)
    except UnknownModel:
        return None


def append_ground_truth(path: Path, line: GroundTruthLine) -> None:
    """Append one line; a line that a killed process has torn before it is cut off.

    Raises:
        OSError: The file cannot be written.
    """
    with LineFile(path) as file:
        file.append(msgspec.json.encode(line) + b"\n")


def read_ground_truth(path: Path) -> list[GroundTruthLine]:
    """The truth of a run: one line a call, in the order in which they were written.

    Where attempts at a generation were abandoned, the last attempt's calls count and no others.
    Torn lines are left out; a run without offline policies has no such file and no truth.

    Raises:
        msgspec.ValidationError: The file is of another version.
    """
    content = path.read_bytes() if path.exists() else b""
    lines = list(_whole(content.split(b"\n")))
    last: dict[tuple[str, int], int] = {}
    for line in lines:
        key = (line.agent, line.generation)
        last[key] = max(line.attempt, last.get(key, 0))
    counted = [line for line in lines if line.attempt == last[line.agent, line.generation]]
    return list({line.place: line for line in counted}.values())


def _whole(lines: Iterable[bytes]) -> Iterator[GroundTruthLine]:
    for line in lines:
        try:
            yield decode_json(line, GroundTruthLine)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # torn, or the nothing behind the last line end
            continue
