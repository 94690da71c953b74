"""The operator of the task repo_policy: it changes a record by the pressure of its errors."""

from dataclasses import dataclass
from typing import Literal, get_args

from hyperspace.offline.moves.searching import write
from hyperspace.offline.plan import CandidPlan
from hyperspace.offline.planned import GenerationPolicy
from hyperspace.offline.record import Situation
from hyperspace.offline.tool_steps import run_program
from hyperspace.offline.true_action import TrueAction

Meta = Literal["adaptive", "frozen"]
METAS: tuple[Meta, ...] = get_args(Meta)


@dataclass(frozen=True)
class Pressure(GenerationPolicy):
    """A policy that changes a record in the direction of its errors, whether that helps or not.

    It starts from what the workspace holds: which parent that is, is the matter of the rule of
    selection. A task agent without a record stays as it is.
    """

    meta: Meta = "adaptive"

    def behave(self, scene: Situation) -> CandidPlan:
        """Write the child of this generation."""
        order = {"code": scene.code, "items": scene.items}
        order |= {"iteration": scene.generation, "meta": self.meta}
        say = "I see which errors press on the record."
        action = TrueAction("search", "one child of its own record")
        result = yield from run_program(say, "pressure", order, ("edits", "inside/bench"), action)
        if result.get("status") != "pressed":
            return f"No record could be changed ({result.get('error', 'it said nothing')})."
        right = f"{result['before']} to {result['after']} of {result['items']} items right"
        return (yield from write(scene, result, f"focus {result['focus']}, {right}"))
