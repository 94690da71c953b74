"""How a child of the best differs: its own model changes the meta agent that it inherits."""

import ast
import re
from typing import Final

from guards.parsing import parse_python
from hyperspace.extensions.arena.rounds import arena_of
from hyperspace.extensions.levels.worker import quoted
from hyperspace.kernel.events import Notice
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.modify import CODE_LIMITS
from hyperspace.kernel.generation.review import review
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.messages import CallKey
from hyperspace.options.fleet import META_AGENT

PURPOSE: Final = "mutate"
_FENCED: Final = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_ASKED: Final = """You are born in an arena as a child of its best {role}, with its code. What makes
you another one is how you go about your work: `meta_agent.py`, which asks a model in each round.
Answer with the whole file, changed in one respect that may make you better, in one ```python fence.
The class MetaAgent and what its `forward` takes stay.

# meta_agent.py
"""


async def mutate_child(attempt: Attempt, candidate: Candidate, visible: VisibleStrategies) -> None:
    """Let the model of an agent that is born in a round change its meta agent.

    An answer that holds no meta agent leaves it as it was.

    Raises:
        RunPaused: The model is down.
    """
    context, agent = attempt.context, attempt.who.name
    if context.config.fork_of(agent) is None:
        return
    inherited = dict(candidate.code)
    asked = _ASKED.format(role=arena_of(context).role(agent))
    prompt = asked + quoted(inherited.get(META_AGENT, ""))
    answer = await attempt.ask(CallKey(PURPOSE, candidate.label(""), 0), prompt)
    code = "".join(_FENCED.findall(answer)[:1]).rstrip("\n") + "\n"
    if not is_meta_agent(code) or code == inherited.get(META_AGENT):
        told = f"{agent}: its model answered with no other meta agent; it keeps its parent's"
        return context.emit(Notice(told))
    candidate.code[META_AGENT] = code
    await review(attempt, candidate, inherited, visible)


def is_meta_agent(code: str) -> bool:
    """Return whether a text is a module with a class `MetaAgent` that has a `forward`."""
    if not 0 < len(code.encode(errors="replace")) <= CODE_LIMITS.file_bytes:
        return False
    try:
        code.encode()
        body = parse_python(code).body
    except SyntaxError:
        return False
    classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == "MetaAgent"]
    return any(
        isinstance(method, ast.FunctionDef) and method.name == "forward"
        for each in classes
        for method in each.body
    )
