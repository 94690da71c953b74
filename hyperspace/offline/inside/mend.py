"""Mends a task agent that does not compile, load, take its inputs or answer in the right form.

Helpers: edits, surgery, bench, units. It checks what the gates check, mends the first problem, and
checks again. Where a sound version is given, what was changed since is taken back piece by piece,
so that what was good about the broken one stays.

Order: {"code", "broken", "sound", "items"}; `code` is the file that is to be edited.
Result: {"status", "fixes", "left", "old", "new"}; `left` is the problem that could not be mended.
"""

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from hyperspace.offline.edits import smallest_edit
    from hyperspace.offline.inside.bench import Bounded, TooLong, asks_model, labels_of, read_items, run
    from hyperspace.offline.inside.units import transplant, units

MOST_FIXES = 8
RUNTIME = "agent"  # is there wherever the code is run in earnest
MOST_TRIED = 5  # items that are answered to see the form of the answers
METHODS = ("forward", "answer", "solve", "predict", "run", "__call__")
WRAPPER = """

class {name}({base}):
    def __init__(self, model, log_file=""):
        try:
            super().__init__(model, log_file)
        except TypeError:
            super().__init__()

    def forward(self, inputs):
        found = super().{method}(inputs)
        return str(found[0] if isinstance(found, tuple) else found), []
"""
NORMALISER = """

class TaskAgent(TaskAgent):
    def forward(self, inputs):
        answer, history = super().forward(inputs)
        named = [label for label in {labels} if label in answer.lower()]
        return max(named, key=len, default={labels}[0]), history
"""


class Problem(NamedTuple):
    """The first thing that is wrong: its kind, and a line number or a name."""

    kind: str
    detail: str


class Patient:
    """What is mended, and what helps."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.source = Path(order["broken"]).read_bytes().decode()
        self.sound = Path(order["sound"]).read_bytes().decode() if order["sound"] else ""
        self.items = read_items(order["items"])
        self.labels = labels_of(self.items)

    def problem(self) -> Problem | None:
        """The first thing that is wrong."""
        try:
            compile(self.source, "task_agent.py", "exec")
        except (SyntaxError, ValueError) as error:
            return Problem("syntax", str(getattr(error, "lineno", 1) or 1))
        try:
            return self._in_use()
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            return None if missing == RUNTIME else Problem("module", missing)
        except NameError as error:
            return Problem("name", str(error.name))
        except (Exception, TooLong) as error:  # an agent's own code may fail in any way
            return Problem("failure", f"{type(error).__name__}: {error}")

    def _in_use(self) -> Problem | None:
        space: dict[str, Any] = {"__name__": "task_agent"}
        with Bounded():
            exec(compile(self.source, "task_agent.py", "exec"), space)  # noqa: S102
        if not fits(space.get("TaskAgent")):
            return Problem("signature", "")
        answers = [] if asks_model(self.source) else list(self._answers(space["TaskAgent"]))
        if any(not is_answer(answer) for answer in answers):
            return Problem("answer", "")
        said = {str(answer[0]).strip().lower() for answer in answers}
        return Problem("form", "") if said and self.labels and not said & {*self.labels} else None

    def _answers(self, make: Any) -> Iterator[Any]:
        agent = make("offline")
        for item in self.items[:MOST_TRIED]:
            with Bounded():
                yield agent.forward(dict(item["inputs"]))


def fits(agent: Any) -> bool:
    """Whether something is a class that is made from a model's name and answers inputs."""
    try:
        inspect.signature(agent).bind("offline")
        inspect.signature(agent.forward).bind(None, {})
    except (TypeError, ValueError, AttributeError):
        return False
    return isinstance(agent, type)


def is_answer(answer: Any) -> bool:
    """Whether an answer is a pair that begins with text."""
    if not isinstance(answer, tuple):
        return False
    parts = cast("tuple[object, ...]", answer)
    return len(parts) == 2 and isinstance(parts[0], str)


def mend_syntax(patient: Patient, detail: str) -> str:
    """Take changes back until it compiles; without a sound version, close or drop the line."""
    candidates = [*taken_back(patient), *without_line(patient.source, int(detail))]
    return next(filter(compiles, candidates), patient.sound)


def taken_back(patient: Patient) -> Iterator[str]:
    """The source with one change since the sound version taken back, and then with all."""
    if patient.sound:
        old, new = patient.sound.split("\n"), patient.source.split("\n")
        blocks = difflib.SequenceMatcher(None, new, old, autojunk=False).get_opcodes()
        for kind, a, b, c, d in blocks:
            if kind != "equal":
                yield "\n".join([*new[:a], *old[c:d], *new[b:]])
        yield patient.sound


def without_line(source: str, number: int) -> Iterator[str]:
    """The source with brackets closed on a line up to the one complained about, or without it."""
    lines = source.split("\n")
    for at in range(min(number, len(lines)) - 1, max(number - 4, -1), -1):
        line = lines[at]
        margin = line[: len(line) - len(line.lstrip())]
        for repaired in (f"{line})", f"{line}]", f"{line}:", f"{margin}pass"):
            yield "\n".join([*lines[:at], repaired, *lines[at + 1 :]])


def compiles(source: str) -> bool:
    """Whether a source compiles."""
    try:
        compile(source, "task_agent.py", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def mend_module(patient: Patient, detail: str) -> str:
    """Drop the import of a module that is not there."""
    pattern = rf"^(\s*)(?:import|from)\s+{re.escape(detail)}\b.*$"
    return re.sub(pattern, r"\1pass", patient.source, flags=re.MULTILINE)


def mend_name(patient: Patient, detail: str) -> str:
    """Define a name as the sound version does, or as zero."""
    known = units(patient.sound) if patient.sound else units(f"{detail} = 0\n")
    known = known if detail in known else units(f"{detail} = 0\n")
    return transplant(patient.source, known, [detail])


def mend_signature(patient: Patient, _detail: str) -> str:
    """Make a task agent of a class that has a method which answers."""
    for node in reversed(ast.parse(patient.source).body):
        if isinstance(node, ast.ClassDef):
            names = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            method = next((name for name in METHODS if name in names), None)
            if method:
                return patient.source.rstrip() + "\n" + wrapper(node.name, method)
    return patient.sound


def mend_answer(patient: Patient, _detail: str) -> str:
    """Make a pair of text and history of whatever is answered."""
    return patient.source.rstrip() + "\n" + wrapper("TaskAgent", "forward")


def mend_form(patient: Patient, _detail: str) -> str:
    """Make labels of answers that speak of them."""
    return patient.source.rstrip() + "\n" + NORMALISER.format(labels=patient.labels)


def wrapper(base: str, method: str) -> str:
    """A task agent around a class."""
    return WRAPPER.format(name="TaskAgent", base=base, method=method)


FIXES: dict[str, Callable[[Patient, str], str]] = {
    "syntax": mend_syntax,
    "module": mend_module,
    "name": mend_name,
    "signature": mend_signature,
    "answer": mend_answer,
    "form": mend_form,
    "failure": lambda patient, _detail: patient.sound,
}


def mend(order: dict[str, Any]) -> dict[str, Any]:
    """Carry out an order."""
    patient, fixes = Patient(order), list[str]()
    while (problem := patient.problem()) and len(fixes) < MOST_FIXES:
        mended = FIXES[problem.kind](patient, problem.detail)
        if not mended or mended == patient.source:
            break
        patient.source = mended
        fixes.append(f"{problem.kind} {problem.detail}".strip())
    edit = smallest_edit(Path(order["code"]).read_bytes().decode(), patient.source)
    if edit is None or (problem and not fixes):
        return {"status": "unchanged", "left": problem.kind if problem else ""}
    left = problem.kind if problem else ""
    return {"status": "mended", "fixes": fixes, "left": left, "old": edit.old, "new": edit.new}


run(mend)
