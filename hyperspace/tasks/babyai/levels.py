"""Missions of minigrid's BabyAI, by family; imported in the child process alone.

Minigrid's own generator draws the kind of instruction by chance; here the family is an argument,
so that a seed means the same episode for ever. One room of 8x8, in `open` two with a locked door
between them; nothing lies there but what the mission is about.
"""

import importlib
from typing import Any, NamedTuple

from hyperspace.tasks.babyai.items import HELD_OUT

_levels: Any = importlib.import_module("minigrid.envs.babyai.core.levelgen")
_grid: Any = importlib.import_module("minigrid.envs.babyai.core.roomgrid_level")
_expert: Any = importlib.import_module("minigrid.utils.baby_ai_bot")


class _Family(NamedTuple):
    objects: int
    kind: str
    rooms: int = 1


_FAMILIES = {
    "goto": _Family(1, "goto"),
    "pickup": _Family(1, "pickup"),
    "open": _Family(0, "open", rooms=2),
    "putnext": _Family(2, "putnext"),
    "pickup_then_goto": _Family(2, ""),
}


class _Mission(_levels.LevelGen):
    def __init__(self, family: str, held_out: bool) -> None:
        form = _FAMILIES[family]
        self.held_out = held_out
        # Written so, since the type checker knows nothing of the base without minigrid.
        _levels.LevelGen.__init__(
            self,
            room_size=8,
            num_rows=1,
            num_cols=form.rooms,
            num_dists=form.objects,
            locked_room_prob=1.0 if form.rooms > 1 else 0.0,
            locations=False,
            unblocking=False,
            implicit_unlock=True,
            action_kinds=(form.kind,),
            instr_kinds=("action",),
        )

    def gen_mission(self) -> None:
        _levels.LevelGen.gen_mission(self)
        text = self.instrs.surface(self)
        if any(name in text for name in HELD_OUT) != self.held_out:
            raise _grid.RejectSampling(text)

    def rand_instr(self, action_kinds: Any, instr_kinds: Any, depth: int = 0) -> Any:
        if action_kinds != ("",):
            return _levels.LevelGen.rand_instr(self, action_kinds, instr_kinds, depth)
        first = self.rand_obj(types=_levels.OBJ_TYPES_NOT_DOOR)
        second = self.rand_obj(types=_levels.OBJ_TYPES_NOT_DOOR)
        if any(thing in second.obj_set for thing in first.obj_set):
            raise _grid.RejectSampling("both parts are about one object")
        pick_up, go_to = _levels.PickupInstr(first), _levels.GoToInstr(second)
        if self._rand_bool():
            return _levels.BeforeInstr(pick_up, go_to)
        return _levels.AfterInstr(go_to, pick_up)


def make_level(inputs: dict[str, Any]) -> Any:
    """Return minigrid's environment of an item, at its start."""
    level = _Mission(inputs["family"], inputs["held_out"])
    level.reset(seed=inputs["seed"])
    return level


def expert_steps(inputs: dict[str, Any]) -> int:
    """Return how many steps minigrid's own expert needs; 0 if it does not get there."""
    level = make_level(inputs)
    expert = _expert.BabyAIBot(level)
    action = None
    for step in range(1, level.max_steps + 1):
        action = expert.replan(action)
        _, reward, over, _, _ = level.step(action)
        if over:
            return step if reward > 0 else 0
    return 0
