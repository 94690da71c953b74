"""Runs the robot in MuJoCo; imported in the child process alone."""

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from domains.go2.expression import Value
from domains.go2.rhythm import targets
from domains.go2.robot import SPAWN_M, STANDING, robot_xml

CONTROL_S = 0.02
_SUBSTEPS = 2
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
            names = Readings(data, command, told, previous)
            if names["up"] < _ENDS_BELOW_UP or names["height"] < _ENDS_BELOW_M:
                return Rollout(total, tracking, highest, step)
            previous = told
            tracking += math.exp(-4 * (command - names["v_x"]) ** 2)
            if step * CONTROL_S >= 0.5:
                highest = max(highest, names["height"])
            if reward is not None:
                total += _valued(reward, names)
        return Rollout(total, tracking, highest, steps)


class Readings(dict[str, float]):
    """What a reward may name at one step; each number is worked out when it is first read.

    Most rewards name few of them, and all of them take as long as half a step of the simulator.
    """

    def __init__(
        self, data: Any, command: float, told: Sequence[float], previous: Sequence[float]
    ) -> None:
        """Look at the simulator's data, which must not move on while this is in use."""
        super().__init__(v_cmd=command)
        self.data, self.told, self.previous = data, told, previous

    def __missing__(self, name: str) -> float:
        """Work a number out."""
        value = self[name] = _READINGS[name](self)
        return value

    def along(self, axis: int) -> float:
        """Speed along an axis of the torso, in m/s."""
        speeds, turn = self.data.qvel.tolist(), self.data.xmat[1].tolist()
        return sum(speeds[row] * turn[3 * row + axis] for row in range(3))

    def power(self) -> float:
        """Sum of torque times speed without signs, in W."""
        torques, speeds = self.data.actuator_force.tolist(), self.data.qvel.tolist()[6:]
        return sum(abs(t * s) for t, s in zip(torques, speeds, strict=True))

    def tilt_rate(self) -> float:
        """How fast the torso rolls and pitches, in rad/s."""
        return math.hypot(*self.data.qvel[3:5].tolist())

    def change(self) -> list[float]:
        """Change of the targets since the last step, in rad."""
        return [new - old for new, old in zip(self.told, self.previous, strict=True)]

    def bend(self) -> list[float]:
        """Deviation of the joints from standing, in rad."""
        angles = self.data.qpos.tolist()[7:]
        return [angle - usual for angle, usual in zip(angles, STANDING * 4, strict=True)]


_READINGS: dict[str, Callable[[Readings], float]] = {
    "v_x": lambda now: now.along(0),
    "v_y": lambda now: now.along(1),
    "v_z": lambda now: float(now.data.qvel[2]),
    "yaw_rate": lambda now: float(now.data.qvel[5]),
    "tilt_rate": Readings.tilt_rate,
    "height": lambda now: float(now.data.qpos[2]),
    "up": lambda now: float(now.data.xmat[1][8]),
    "joint_speed": lambda now: _rms(now.data.qvel.tolist()[6:]),
    "torque": lambda now: _rms(now.data.actuator_force.tolist()),
    "power": Readings.power,
    "action_rate": lambda now: _rms(now.change()),
    "pose": lambda now: _rms(now.bend()),
    "contacts": lambda now: float(now.data.ncon),
}


def _valued(reward: Value, names: Readings) -> float:
    try:
        value = reward(names)
    except (ArithmeticError, ValueError):
        return _NO_VALUE
    return max(_NO_VALUE, min(-_NO_VALUE, value)) if value == value else _NO_VALUE


def _rms(values: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in values) / len(values))
