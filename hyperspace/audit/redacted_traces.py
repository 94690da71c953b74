"""A redacted trace held against its closing mark, which has hashes of every request and reply.

So an export can hide what was said, and cannot say something else in its place.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from guards.parsing import decode_json
from hyperspace.export.redact_trace import may_be
from hyperspace.kernel.state.manifest import Closing


class _Function(msgspec.Struct):
    arguments: str | None = None


class _ToolCall(msgspec.Struct):
    function: _Function


class _Line(msgspec.Struct):
    request_sha256: str
    response: str | None = None
    tool_calls: tuple[_ToolCall, ...] | None = None

    def is_call(self, sealed: Mapping[str, Any]) -> bool:
        """Return whether this can be the call that a closing mark has."""
        said = [self.response or ""]
        said += [made.function.arguments or "" for made in self.tool_calls or ()]
        hashes = [sealed["text_sha256"]]
        hashes += [made["arguments_sha256"] for made in sealed["tool_calls"]]
        return len(said) == len(hashes) and all(map(may_be, said, hashes))


def missing_calls(trace: Path, closing: Closing) -> int:
    """Return how many calls of a closing mark a trace does not hold as they were."""
    lines: defaultdict[str, list[_Line]] = defaultdict(list)
    for text in trace.read_bytes().splitlines():
        try:
            line = decode_json(text, _Line)
        except msgspec.MsgspecError:  # a damaged line is no call
            continue
        lines[line.request_sha256].append(line)
    return sum(not _take(lines[call["request_sha256"]], call) for call in closing.manifest.calls)


def _take(lines: list[_Line], sealed: Mapping[str, Any]) -> bool:
    """Take the line of a call out of those with its request, if it is there."""
    for place, line in enumerate(lines):
        if line.is_call(sealed):
            del lines[place]
            return True
    return False
