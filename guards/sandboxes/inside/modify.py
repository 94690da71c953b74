"""Program `modify`: run a meta agent once on a workspace: the workspace's own, or a frozen one."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    from guards.sandboxes.inside.init import Host

    Frame = dict[str, Any]

LONGEST_TRACEBACK = 8_000


class Frozen:
    """Imports modules from code that the host has sent: what lies in the workspace is not it."""

    def __init__(self, code: dict[str, str]) -> None:
        from importlib.machinery import ModuleSpec  # here: once we are asked, it would ask us

        self._code = code
        self._make_spec = ModuleSpec

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """Find a module or package by its full name."""
        base = name.replace(".", "/")
        for file, is_package in ((f"{base}/__init__.py", True), (f"{base}.py", False)):
            if file in self._code:
                loader: Any = self
                return self._make_spec(name, loader, origin=file, is_package=is_package)
        return None

    def create_module(self, _spec: ModuleSpec) -> None:
        """Let Python make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code."""
        spec = module.__spec__
        origin = (spec and spec.origin) or ""
        exec(compile(self._code[origin], origin, "exec"), module.__dict__)


def modify(host: Host, frame: Frame) -> Frame:
    """Let `MetaAgent` work; whatever it raises becomes a reply."""
    try:
        if "code" in frame:
            # Off the path, too: a file of the workspace must not stand in for the standard library.
            sys.path.remove(host.root)
            sys.meta_path.insert(0, Frozen(frame["code"]))
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


def main(host: Host) -> None:
    """Answer frames until the host is gone."""
    sys.path.insert(0, host.root)
    while (frame := host.receive()) is not None:
        if frame.get("op") == "modify":
            host.send(modify(host, frame))
        else:
            error = f"modify knows no operation {frame.get('op')!r}"
            host.send({"ok": False, "error": error})
