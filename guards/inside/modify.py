"""Program `modify`: run the workspace's own meta agent once on its workspace."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guards.inside.init import Host

    Frame = dict[str, Any]

LONGEST_TRACEBACK = 8_000


def modify(host: Host, frame: Frame) -> Frame:
    """Let `MetaAgent` work; whatever it raises becomes a reply."""
    try:
        module: Any = __import__("meta_agent")
        agent = module.MetaAgent(frame["model"])
        agent.forward(frame["repo_path"], frame["eval_path"], frame["iterations_left"])
    except BaseException as error:  # SystemExit and KeyboardInterrupt of the agent are its errors
        return {"ok": False, "error": host.describe(error), "traceback": _trace(host, error)}
    return {"ok": True}


def _trace(host: Host, error: BaseException) -> str:
    import traceback

    inner = error.__traceback__.tb_next if error.__traceback__ else None
    try:
        lines = traceback.format_exception(type(error), error, inner)
    except BaseException:  # a hostile exception class may raise while it is shown
        return ""
    return host.shown("".join(lines))[-LONGEST_TRACEBACK:]


def _answer(host: Host, frame: Frame) -> Frame:
    if frame.get("op") != "modify":
        return {"ok": False, "error": f"modify knows no operation {frame.get('op')!r}"}
    return modify(host, frame)


def main(host: Host) -> None:
    """Answer frames until the host is gone."""
    sys.path.insert(0, host.root)
    while (frame := host.receive()) is not None:
        host.send(_answer(host, frame))
