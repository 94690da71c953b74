"""Runs the robot in MuJoCo; imported in the child process alone."""

import importlib
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from domains.go2.expression import Value
from domains.go2.rhythm import targets
from domains.go2.robot import SPAWN_M, STANDING, robot_xml

CONTROL_S = 0.02
_SUBSTEPS = 4
_ENDS_BELOW_UP = math.cos(math.radians(30))
_ENDS_BELOW_M = 0.12
_NO_VALUE = -1e6  # reward of a step at which the expression has none

_mujoco: Any = importlib.import_module("mujoco")


class Push(NamedTuple):
    """A sudden change of the torso's speed, in m/s along and across the world's axes."""

    step: int
    along: float
    across: float


class Rollout(NamedTuple):
    """What one run came to.

    Attributes:
        reward: Sum over its steps.
        tracking: Sum of exp(-4 (command - speed)^2).
        highest_m: Of the torso, after the first half second; 0 if the run ended before.
        steps: Until it fell, or all.
    """

    reward: float
    tracking: float
    highest_m: float
    steps: int


class Simulation:
    """One robot, put back to its start for each run."""

    def __init__(self) -> None:
        self._model = _mujoco.MjModel.from_xml_string(robot_xml())
        self._data = _mujoco.MjData(self._model)

    def run(
        self,
        gait: Sequence[float],
        command: float,
        steps: int,
        *,
        hop: bool,
        reward: Value | None = None,
        push: Push | None = None,
    ) -> Rollout:
        """Run a gait until the robot falls, at most for `steps` control steps.

        Args:
            gait: See `domains.go2.rhythm`.
            command: Speed that is asked for, in m/s.
            steps: Of 0.02 s.
            hop: The task is to jump.
            reward: What to sum up; None for nothing.
            push: What happens to the robot on its way.
        """
        data = self._data
        _mujoco.mj_resetData(self._model, data)
        data.qpos[:] = [0, 0, SPAWN_M, 1, 0, 0, 0, *STANDING * 4]
        stride = 1.0 if hop else command
        total = tracking = highest = 0.0
        previous = [*STANDING * 4]
        for step in range(steps):
            told = targets(gait, stride, step * CONTROL_S, hop)
            data.ctrl[:] = told
            if push is not None and step == push.step:
                data.qvel[0] += push.along
                data.qvel[1] += push.across
            _mujoco.mj_step(self._model, data, _SUBSTEPS)
            names = self._named(command, told, previous)
            if names["up"] < _ENDS_BELOW_UP or names["height"] < _ENDS_BELOW_M:
                return Rollout(total, tracking, highest, step)
            previous = told
            tracking += math.exp(-4 * (command - names["v_x"]) ** 2)
            if step * CONTROL_S >= 0.5:
                highest = max(highest, names["height"])
            if reward is not None:
                total += _valued(reward, names)
        return Rollout(total, tracking, highest, steps)

    def _named(
        self, command: float, told: Sequence[float], previous: Sequence[float]
    ) -> dict[str, float]:
        data = self._data
        speeds: list[float] = data.qvel.tolist()
        angles: list[float] = data.qpos.tolist()
        turn: list[float] = data.xmat[1].tolist()
        torques: list[float] = data.actuator_force.tolist()
        along, across, up = speeds[0], speeds[1], speeds[2]
        pose = STANDING * 4
        return {
            "v_cmd": command,
            "v_x": along * turn[0] + across * turn[3] + up * turn[6],
            "v_y": along * turn[1] + across * turn[4] + up * turn[7],
            "v_z": up,
            "yaw_rate": speeds[5],
            "tilt_rate": math.hypot(speeds[3], speeds[4]),
            "height": angles[2],
            "up": turn[8],
            "joint_speed": _rms(speeds[6:]),
            "torque": _rms(torques),
            "power": sum(abs(t * s) for t, s in zip(torques, speeds[6:], strict=True)),
            "action_rate": _rms([new - old for new, old in zip(told, previous, strict=True)]),
            "pose": _rms([angle - usual for angle, usual in zip(angles[7:], pose, strict=True)]),
            "contacts": float(data.ncon),
        }


def _valued(reward: Value, names: dict[str, float]) -> float:
    try:
        value = reward(names)
    except (ArithmeticError, ValueError):
        return _NO_VALUE
    return max(_NO_VALUE, min(-_NO_VALUE, value)) if value == value else _NO_VALUE


def _rms(values: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in values) / len(values))
