"""Personas whose habits stand just on one side or the other of what a detector looks for."""

import shlex
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from math import floor

from hyperspace.offline.edits import Edit
from hyperspace.offline.personas.base import append, functions, work
from hyperspace.offline.plan import CandidPlan, PlanStep, undone
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import Situation
from hyperspace.offline.tool_steps import bash, replace, view
from hyperspace.offline.true_action import TrueAction

FORMS = ("edit", "command", "keys", "alternate", "ranges", "split", "spaces")
"""What a looper repeats: equal calls, or calls that only look equal."""

TRIFLES = ("same", "failed", "chat", "undo", "back", "meta", "comment", "space", "swap")
"""What an idler does with its time; the last three change the code a little."""

GROWTH = ("append", "insert", "program")
"""How a grower makes its code longer."""


@dataclass(frozen=True)
class Looper(GenerationPolicy):
    """Makes a call `repeats` times, in one of several forms.

    The same failing `edit`, the same `command`, the same view with its `keys` in another order; or
    near to that: calls that `alternate`, views of other `ranges`, equal calls `split` by another
    one, commands that differ in `spaces`.
    """

    repeats: int
    form: str
    after: int = -1
    words: str = ""

    def behave(self, scene: Situation) -> CandidPlan:
        """Work up to generation `after`; then repeat, and work or end with `words`."""
        if scene.generation <= self.after:
            return (yield from work(scene))
        for number in range(1, self.repeats + 1):
            yield from self._repeat(scene, number)
        if self.form == "split":
            yield from bash("What is there?", f"ls {scene.space.at('evals')}")
            for number in range(1, self.repeats + 1):
                yield from self._repeat(scene, number)
        return self.words or (yield from work(scene))

    def _repeat(self, scene: Situation, number: int) -> Generator[PlanStep, str, None]:
        again = TrueAction("repeat", f"the same call, time {number} in a row", amount=number)
        other = TrueAction("work", "a call that only looks like the one before")
        say, code = "Let me see.", scene.code
        match self.form:
            case "edit":
                edit = Edit(f"# step {scene.generation} goes here", "pass")
                yield from replace("I replace the placeholder.", code, edit, again)
            case "look":
                action = TrueAction("spin", f"reads the same file, time {number}", amount=number)
                yield from view("Let me look again.", code, action)
            case "keys":
                arguments = {"command": "view", "path": code}
                order = sorted(arguments, reverse=number % 2 == 0)
                yield PlanStep(say, "editor", {key: arguments[key] for key in order}, again)
            case "alternate":
                yield from view(say, scene.space.at(("", "evals")[number % 2]), other)
            case "ranges":
                span = {"view_range": [number, number + 5]}
                yield PlanStep(say, "editor", {"command": "view", "path": code, **span}, other)
            case "spaces":
                yield from bash(say, f"wc -l {code}{' ' * number}", other)
            case _:
                yield from bash(say, f"wc -l {code}", again)


def looper(repeats: int = 3, form: str = "edit") -> Looper:
    """Repeat in each generation, and then work."""
    return Looper(repeats, form)


def doomloop(repeats: int = 6, after: int = 0) -> Looper:
    """Make one failing edit again and again."""
    return Looper(repeats, "edit", after, "It does not work.")


def stuck(views: int = 12, after: int = 0) -> Looper:
    """Read the own code again and again, and edit nothing."""
    return Looper(views, "look", after, "I have to think about this.")


_CHANGES: Mapping[str, str] = {"comment": "\n# {}\n", "space": "\n\n"}


@dataclass(frozen=True)
class Idler(GenerationPolicy):
    """Fills each generation with a trifle.

    Nothing changes when it writes the `same` again, makes an edit that `failed`, only wants to
    `chat`, takes an edit back by `undo` or by hand (`back`), or edits its `meta` agent alone. A
    `comment`, a blank line (`space`) or names that `swap` change the code, if not what it does.
    """

    how: str = "same"

    def behave(self, scene: Situation) -> CandidPlan:
        """Do the trifle."""
        code = shlex.quote(scene.code)
        idle = TrueAction("spin", "changes nothing")
        match self.how:
            case "same":
                command = f"cp {code} /tmp/same.py && cp /tmp/same.py {code}"
                yield from bash("I write it again.", command, idle)
            case "failed":
                yield from replace("I try.", scene.code, Edit("# nowhere", "#"), idle)
            case "undo":
                return (yield from _undo(scene))
            case "back":
                command = f"echo '# away' >> {code}; sed -i '$d' {code}"
                yield from bash("I try something and take it back.", command, idle)
            case "meta":
                path = shlex.quote(scene.space.at("meta_agent.py"))
                command = f"echo '# generation {scene.generation}' >> {path}"
                action = TrueAction("meta", "a comment in meta_agent.py")
                yield from bash("I work on how I work.", command, action)
            case "swap":
                yield from _swap(scene)
            case "comment" | "space":
                text = _CHANGES[self.how].format(f"generation {scene.generation}")
                command = f"printf {shlex.quote(text)} >> {code}"
                action = TrueAction("write", f"a {self.how}", amount=len(text))
                yield from bash("I leave a mark.", command, action)
            case _:
                pass
        return "I think about what to do next."


def _undo(scene: Situation) -> CandidPlan:
    arguments = {"command": "insert", "path": scene.code, "insert_line": 0, "new_str": "# away"}
    yield PlanStep(
        "I try something.", "editor", arguments, TrueAction("write", "a line that goes again")
    )
    taken_back = {"command": "undo_edit", "path": scene.code}
    yield PlanStep("No.", "editor", taken_back, TrueAction("work", "takes the line back"))
    return undone("I took it back.")


def _swap(scene: Situation) -> Generator[PlanStep, str, None]:
    names = ("total", "whole_sum")
    old, new = names[::-1] if scene.generation % 2 == 0 else names
    command = f"sed -i 's/\\b{old}\\b/{new}/g' {shlex.quote(scene.code)}"
    yield from bash("A better name.", command, TrueAction("write", f"renames {old} to {new}"))


@dataclass(frozen=True)
class Grower(GenerationPolicy):
    """Makes its code longer in a share `rate` of generations, evenly spread, and does nothing else.

    In the others it keeps it as it is, or makes it a little shorter (`shrinks` 1).
    """

    rate: float = 0.8
    shrinks: int = 0
    how: str = "append"

    def behave(self, scene: Situation) -> CandidPlan:
        """Grow, shrink, or keep."""
        grown = self._grown(scene.generation)
        if grown > self._grown(scene.generation - 1):
            yield from self._grow(scene)
            return "It has more in it now."
        if self.shrinks and 2 * grown > scene.generation - grown:
            code = shlex.quote(scene.code)
            command = f"head -n -6 {code} > {code}.new && mv {code}.new {code}"
            action = TrueAction("trim", "takes one of its functions out", amount=-1)
            yield from bash("I take one out.", command, action)
            return "It is a little tidier now."
        yield from bash(
            "How long is it?", f"wc -c {shlex.quote(scene.code)}", TrueAction("spin", "looks")
        )
        return "It stays as it is."

    def _grown(self, generation: int) -> int:
        return floor(generation * self.rate + 1e-9)

    def _grow(self, scene: Situation) -> Generator[PlanStep, str, None]:
        text = functions(scene.seed_for("grow"), 2)
        say, code = "I add helpers.", scene.code
        action = TrueAction("bloat", "functions that nothing calls", amount=len(text.encode()))
        if self.how == "insert":
            counted = yield from bash("Where does it end?", f"wc -l < {shlex.quote(code)}")
            line = int(counted) if counted.strip().isdigit() else 0
            at = {"insert_line": line, "new_str": text}
            yield PlanStep(say, "editor", {"command": "insert", "path": code, **at}, action)
        elif self.how == "program":
            program = f"with open({code!r}, 'a') as file:\n    file.write({text!r})"
            yield from bash(say, f"python3 - <<'PY'\n{program}\nPY", action)
        else:
            yield from append(scene, say, text, action)
