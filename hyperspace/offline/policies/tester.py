"""A tester of an arena without a language model: it makes up cases by a grammar that items show."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.conversation import Conversation, draw_seed
from hyperspace.offline.plan import CandidPlan
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.tool_steps import Workspace, run_program
from hyperspace.offline.true_action import TrueAction

STRATEGIES: Final = {
    "one": "Change one thing of an item that some solvers get wrong and some get right.",
    "splice": "Put two pieces of other items into an item that some solvers get wrong.",
    "repeat": "Make a part of an item that some solvers get wrong longer.",
}
_OWN: Final = re.compile(r"^Strategy: (.*)$", re.MULTILINE)
_META: Final = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CONSTANT: Final = re.compile(r'^STRATEGY = ".*"$', re.MULTILINE)


@dataclass(frozen=True)
class CaseMaker(PlannedPolicy):
    """Proposes changed items that are nearest to where solvers turn from right to wrong.

    It goes by the strategy that its meta agent names. Asked to change a meta agent, it puts another
    strategy into it. The manner `random` changes any item, as a control, and `foul` proposes what
    no oracle should let stand.
    """

    most: int = 8
    manner: Literal["honest", "random", "foul"] = "honest"

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer one request; one that holds a meta agent with the agent changed."""
        questions = [m.content for m in request.messages if m.role == "user"]
        meta = _META.search(questions[-1]) if questions and not request.tools else None
        if meta is None:
            return super().reply(request)
        now = [text for text in STRATEGIES.values() if text not in meta[1]]
        strategy = now[draw_seed("strategy", request.seed or 0, meta[1]) % len(now)]
        changed = _CONSTANT.sub(f'STRATEGY = "{strategy}"', meta[1], count=1)
        return ChatReply(text=f"```python\n{changed}```")

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Make up cases with a program, and write them down."""
        named = _OWN.search(task.instruction)
        words = "" if named is None else named[1]
        how = next((name for name, text in STRATEGIES.items() if text == words), "one")
        order = {
            "items": space.at("evals/items.jsonl"),
            "cases": space.at("evals/cases.jsonl"),
            "out": space.at("cases.jsonl"),
            "seed": draw_seed("tester", task.seed, task.instruction),
            "most": self.most,
            "how": how,
            "manner": self.manner,
        }
        say = "I make up cases of the items that solvers get wrong."
        action = TrueAction("work", f"proposes up to {self.most} cases, {how}, {self.manner}")
        result = yield from run_program(say, "cases/propose", order, ("inside/bench",), action)
        if result.get("status") == "proposed":
            return f"I proposed {result['proposed']} cases."
        if result.get("status") == "no_texts":
            return "The items hold no text that I could change; I propose nothing."
        return f"I could make up nothing ({result.get('error', 'the program said nothing')})."
