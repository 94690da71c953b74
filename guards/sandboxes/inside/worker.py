"""Program `worker`: check the workspace's code at the gates, then answer items one by one.

Whatever agent code does to this process, it can only change its own answers: the host issues the
ids, holds the labels and computes the score.
"""

from __future__ import annotations

import _ast
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guards.sandboxes.inside.init import Host

    Frame = dict[str, Any]

LONGEST_PREDICTION = 2_000_000  # characters; the host has a bound of its own for each task
VARARGS = 0x04  # code flag of a function that takes *args


class GateClosed(Exception):
    """The code does not pass a gate.

    Attributes:
        gate: `compile`, `import` or `signature`.
    """

    def __init__(self, gate: str, message: str) -> None:
        super().__init__(message)
        self.gate = gate
        self.message = message


def gate(host: Host) -> Frame:
    """Take the code through compile, import and signature, in this order."""
    try:
        _parse(host, "task_agent.py")
        _check_meta_agent(_parse(host, "meta_agent.py"))
        _check_task_agent(_load(host))
    except GateClosed as closed:
        return {"ok": False, "gate": closed.gate, "error": closed.message}
    return {"ok": True, "gate": "passed", "error": ""}


def predict(host: Host, frame: Frame) -> Frame:
    """Ask a fresh `TaskAgent` about one item; whatever it raises becomes its reply."""
    try:
        agent = _load(host).TaskAgent(frame["model"])
        answer = _prediction(agent.forward(frame["inputs"]))
    except GateClosed as closed:
        return {"id": frame["id"], "error": closed.message}
    except BaseException as error:  # SystemExit and KeyboardInterrupt of one item are its errors
        return {"id": frame["id"], "error": host.describe(error)}
    return {"id": frame["id"], "prediction": answer}


def play(host: Host, frame: Frame, agents: dict[str, Any]) -> Frame:
    """Ask each episode's own `TaskAgent` for its next action.

    Args:
        host: Where the code is.
        frame: Observations by the episode's token; an episode that is not named is over.
        agents: Those of the episodes so far; changed here.
    """
    observations = frame["observations"]
    for token in agents.keys() - observations.keys():
        del agents[token]
    actions: dict[str, str] = {}
    errors: dict[str, str] = {}
    for token, observation in observations.items():
        try:
            if token not in agents:
                agents[token] = _load(host).TaskAgent(frame["model"])
            actions[token] = _prediction(agents[token].forward(observation))
        except GateClosed as closed:
            errors[token] = closed.message
        except BaseException as error:  # as in `predict`
            errors[token] = host.describe(error)
    return {"id": frame["id"], "actions": actions, "errors": errors}


def select(host: Host, frame: Frame) -> Frame:
    """Let the workspace's own code choose a parent; whatever it raises becomes its reply."""
    try:
        module: Any = __import__("select_next_parent")
        answer = module.select_next_parent(frame["archive"], frame["seed"])
        if type(answer) is not int:
            raise TypeError(f"select_next_parent must return an int, not {_kind(answer)}")
    except BaseException as error:  # SystemExit and KeyboardInterrupt are its errors, too
        return {"error": host.describe(error)}
    return {"parent": answer}


def _prediction(result: Any) -> str:
    try:
        answer, _ = result
    except (TypeError, ValueError):
        message = f"forward must return (prediction, history), not {_kind(result)}"
        raise TypeError(message) from None
    if not isinstance(answer, str):
        raise TypeError(f"a prediction is a str, not {_kind(answer)}")
    if len(answer) > LONGEST_PREDICTION:
        raise ValueError(f"a prediction has at most {LONGEST_PREDICTION} characters")
    return str.__str__(answer)  # a subclass may have its own __str__


def _parse(host: Host, name: str) -> _ast.Module:
    try:
        with open(f"{host.root}/{name}", "rb") as file:
            source = file.read()
        compile(source, name, "exec")
        tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST)
        return tree
    except FileNotFoundError:
        raise GateClosed("compile", f"{name} is missing") from None
    # Deep nesting and huge constants fail in many ways; all are the source's fault.
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        raise GateClosed("compile", f"{name}: {host.describe(error)}") from error


def _load(host: Host) -> Any:
    try:
        return __import__("task_agent")
    except BaseException as error:  # importing runs its code, which may raise anything
        raise GateClosed("import", f"task_agent.py: {host.describe(error)}") from error


def _check_task_agent(module: Any) -> None:
    agent = getattr(module, "TaskAgent", None)
    if not isinstance(agent, type):
        raise GateClosed("signature", "task_agent.py defines no class TaskAgent")
    for method, arguments in (("__init__", "model"), ("forward", "inputs")):
        function = getattr(agent, method, None)
        if not callable(function) or not _takes(function, 2):
            message = f"task_agent.py: TaskAgent.{method} must work with ({arguments})"
            raise GateClosed("signature", message)


def _takes(function: Any, count: int) -> bool:
    # inspect.signature knows more, but its import costs as much as the rest of the start.
    code: Any = getattr(function, "__code__", None)
    if code is None:  # not a plain function: the smoke item will tell
        return True
    keyword_only = code.co_kwonlyargcount - len(function.__kwdefaults__ or {})
    most = sys.maxsize if code.co_flags & VARARGS else code.co_argcount
    least = code.co_argcount - len(function.__defaults__ or ())
    return least <= count <= most and keyword_only <= 0


def _check_meta_agent(tree: _ast.Module) -> None:
    # Read, not run: a meta agent runs in its own sandbox.
    for node in tree.body:
        if isinstance(node, _ast.ClassDef) and node.name == "MetaAgent":
            methods = [part.name for part in node.body if isinstance(part, _ast.FunctionDef)]
            if node.bases or "forward" in methods:
                return
            raise GateClosed("signature", "meta_agent.py: MetaAgent has no method forward")
    raise GateClosed("signature", "meta_agent.py defines no class MetaAgent at its top level")


def _kind(value: object) -> str:
    return type(value).__name__


def _answer(host: Host, frame: Frame, agents: dict[str, Any]) -> Frame:
    if frame.get("op") == "gate":
        return gate(host)
    if frame.get("op") == "predict":
        return predict(host, frame)
    if frame.get("op") == "play":
        return play(host, frame, agents)
    if frame.get("op") == "select":
        return select(host, frame)
    return {"ok": False, "error": f"worker knows no operation {frame.get('op')!r}"}


def main(host: Host) -> None:
    """Answer frames until the host is gone."""
    sys.path.insert(0, host.root)
    agents: dict[str, Any] = {}
    while (frame := host.receive()) is not None:
        host.send(_answer(host, frame, agents))
