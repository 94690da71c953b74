"""Runs the robot in MuJoCo; imported in the child process alone."""

import importlib
from collections.abc import Sequence
from typing import Any

from hyperspace.tasks.go2.expression import Value
from hyperspace.tasks.go2.game import TrainingGame
from hyperspace.tasks.go2.observations import Readings
from hyperspace.tasks.go2.rhythm import targets
from hyperspace.tasks.go2.robot import SPAWN_M, STANDING, robot_xml
from hyperspace.tasks.go2.rollouts import CONTROL_S, GaitAttempt, Rollout, RunningSum
from hyperspace.tasks.go2.training import EFFORTS

_SUBSTEPS = 2

_mujoco: Any = importlib.import_module("mujoco")


class MujocoState:
    """The robot as MuJoCo's data has it; a `RobotState` that reads what it is asked for."""

    def __init__(self, data: Any) -> None:
        self._data = data

    @property
    def height(self) -> float:
        """See `RobotState`."""
        return float(self._data.qpos[2])

    @property
    def turn(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.xmat[1].tolist()

    @property
    def velocity(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.qvel[:3].tolist()

    @property
    def spin(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.qvel[3:6].tolist()

    @property
    def angles(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.qpos[7:].tolist()

    @property
    def speeds(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.qvel[6:].tolist()

    @property
    def torques(self) -> Sequence[float]:
        """See `RobotState`."""
        return self._data.actuator_force.tolist()

    @property
    def contacts(self) -> int:
        """See `RobotState`."""
        return self._data.ncon


class MujocoSimulator:
    """One robot, put back to its start for each run; a `Simulator`."""

    def __init__(self) -> None:
        self._model = _mujoco.MjModel.from_xml_string(robot_xml())
        self._data = _mujoco.MjData(self._model)

    def run(
        self,
        attempts: Sequence[GaitAttempt],
        steps: int,
        *,
        hop: bool,
        reward: Value | None = None,
    ) -> list[Rollout]:
        """Run the gaits one after the other; see `Simulator`."""
        return [self._run(attempt, steps, hop, reward) for attempt in attempts]

    def _run(self, attempt: GaitAttempt, steps: int, hop: bool, reward: Value | None) -> Rollout:
        gait, command, push = attempt
        data = self._data
        _mujoco.mj_resetData(self._model, data)
        data.qpos[:] = [0, 0, SPAWN_M, 1, 0, 0, 0, *STANDING * 4]
        stride = 1.0 if hop else command
        state, result = MujocoState(data), RunningSum(command, reward)
        previous = [*STANDING * 4]
        for step in range(steps):
            told = targets(gait, stride, step * CONTROL_S, hop)
            data.ctrl[:] = told
            if push is not None and step == push.step:
                data.qvel[0] += push.along
                data.qvel[1] += push.across
            _mujoco.mj_step(self._model, data, _SUBSTEPS)
            result.add(Readings(state, command, told, previous))
            if result.fell:
                break
            previous = told
        return result.rollout()


def make(inputs: dict[str, Any]) -> TrainingGame:
    """Make the episode of an item; called in the child."""
    return TrainingGame(inputs, MujocoSimulator(), EFFORTS[inputs["scale"]])
