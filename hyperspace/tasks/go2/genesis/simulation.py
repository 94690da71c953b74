"""Runs Genesis' own Go2, many at a time in one scene; imported in the child process alone."""

import importlib
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from hyperspace.tasks.go2.expression import Value
from hyperspace.tasks.go2.game import TrainingGame
from hyperspace.tasks.go2.observations import Readings
from hyperspace.tasks.go2.rhythm import targets
from hyperspace.tasks.go2.robot import SPAWN_M, STANDING
from hyperspace.tasks.go2.rollouts import CONTROL_S, GaitAttempt, Rollout, RunningSum
from hyperspace.tasks.go2.training import COMMANDS, EFFORTS

_SUBSTEPS = 2
_STIFFNESS, _DAMPING = 40.0, 1.0  # Nm/rad and Nm s/rad: as of the robot in MuJoCo; 20 lets it sag
_TOUCHES_N = 1.0  # a link that meets the ground with less has no contact
_GROUND, _ROBOT = "urdf/plane/plane.urdf", "urdf/go2/urdf/go2.urdf"  # of the package's assets
_JOINTS = [
    f"{leg}_{joint}_joint"
    for leg in ("FL", "FR", "RL", "RR")  # as `hyperspace.tasks.go2.robot.LEGS`
    for joint in ("hip", "thigh", "calf")
]
_ALONG_AND_ACROSS = [0, 1]  # the torso's first degrees of freedom

os.environ.setdefault("HOME", str(Path.home()))  # it aborts without; compiled code is kept there
_genesis: Any = importlib.import_module("genesis")
_numpy: Any = importlib.import_module("numpy")


class GenesisState(NamedTuple):
    """A robot of the scene; a `RobotState`."""

    height: float
    turn: Sequence[float]
    velocity: Sequence[float]
    spin: Sequence[float]
    angles: Sequence[float]
    speeds: Sequence[float]
    torques: Sequence[float]
    contacts: int


class GenesisSimulator:
    """Robots side by side in one scene, put back to their start for each batch; a `Simulator`."""

    def __init__(self, robots: int) -> None:
        """Build the scene: half a minute, and some minutes before compiled code is in the cache.

        Args:
            robots: How many run at the same time.
        """
        options = _genesis.options
        self._robots = robots
        self._scene: Any = _genesis.Scene(
            show_viewer=False,
            sim_options=options.SimOptions(dt=CONTROL_S, substeps=_SUBSTEPS),
            rigid_options=options.RigidOptions(enable_self_collision=False),
        )
        morphs = _genesis.morphs
        self._scene.add_entity(morphs.URDF(file=_GROUND, fixed=True))
        self._robot: Any = self._scene.add_entity(morphs.URDF(file=_ROBOT))
        self._scene.build(n_envs=robots)
        joints = [self._robot.get_joint(name) for name in _JOINTS]
        self._dofs = [joint.dofs_idx_local[0] for joint in joints]
        self._robot.set_dofs_kp([_STIFFNESS] * len(joints), self._dofs)
        self._robot.set_dofs_kv([_DAMPING] * len(joints), self._dofs)
        self._start = _numpy.zeros((robots, self._robot.n_qs), dtype=_numpy.float32)
        self._start[:, 2:4] = SPAWN_M, 1.0  # height, and the first number of no turn
        self._start[:, [joint.qs_idx_local[0] for joint in joints]] = STANDING * 4

    def run(
        self,
        attempts: Sequence[GaitAttempt],
        steps: int,
        *,
        hop: bool,
        reward: Value | None = None,
    ) -> list[Rollout]:
        """Run as many gaits at a time as there are robots; see `Simulator`."""
        rollouts: list[Rollout] = []
        for first in range(0, len(attempts), self._robots):
            batch = attempts[first : first + self._robots]
            rollouts += self._run(batch, steps, hop, reward)
        return rollouts

    def _run(
        self, batch: Sequence[GaitAttempt], steps: int, hop: bool, reward: Value | None
    ) -> list[Rollout]:
        self._scene.reset()
        self._robot.set_qpos(self._start)
        results = [RunningSum(attempt.command, reward) for attempt in batch]
        # Robots without an attempt, or that fell, stand or lie still: no force may blow up.
        previous = [[*STANDING * 4] for _ in range(self._robots)]
        for step in range(steps):
            told = [[*STANDING * 4] for _ in range(self._robots)]
            for number, (attempt, result) in enumerate(zip(batch, results, strict=True)):
                if not result.fell:
                    stride = 1.0 if hop else attempt.command
                    told[number] = targets(attempt.gait, stride, step * CONTROL_S, hop)
            self._push(batch, step)
            self._robot.control_dofs_position(_numpy.array(told, dtype=_numpy.float32), self._dofs)
            self._scene.step()
            states = self._read(len(batch))
            for number, (attempt, result) in enumerate(zip(batch, results, strict=True)):
                result.add(
                    Readings(states[number], attempt.command, told[number], previous[number])
                )
            if all(result.fell for result in results):
                break
            previous = told
        return [result.rollout() for result in results]

    def _push(self, batch: Sequence[GaitAttempt], step: int) -> None:
        for number, (_, _, push) in enumerate(batch):
            if push is not None and push.step == step:
                speeds = self._robot.get_dofs_velocity(_ALONG_AND_ACROSS, [number]).numpy()
                speeds += _numpy.array([push.along, push.across])
                self._robot.set_dofs_velocity(speeds, _ALONG_AND_ACROSS, [number])

    def _read(self, robots: int) -> list[GenesisState]:
        robot = self._robot
        turns = _rotations(robot.get_quat().numpy())
        spins = _numpy.einsum("nji,nj->ni", turns, robot.get_ang().numpy())
        forces = _numpy.linalg.norm(robot.get_links_net_contact_force().numpy(), axis=2)
        columns = (
            robot.get_pos()[:, 2],
            turns.reshape(-1, 9),
            robot.get_vel(),
            spins,
            robot.get_dofs_position(self._dofs),
            robot.get_dofs_velocity(self._dofs),
            robot.get_dofs_control_force(self._dofs),
            (forces > _TOUCHES_N).sum(axis=1),
        )
        rows = zip(*(column[:robots].tolist() for column in columns), strict=True)
        return [GenesisState(*row) for row in rows]


def _rotations(quaternions: Any) -> Any:
    """Return the matrix of each rotation; a quaternion's real part comes first."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return _numpy.moveaxis(_numpy.array(rows), 2, 0)


@cache
def simulator(robots: int) -> GenesisSimulator:
    """Return a scene that is built once in a process, however many episodes it has."""
    _initialize()
    return GenesisSimulator(robots)


@cache
def _initialize() -> None:
    _genesis.init(backend=_genesis.cpu, logging_level="error", seed=0)


def make(inputs: dict[str, Any]) -> TrainingGame:
    """Make the episode of an item; called in the child."""
    effort = EFFORTS[inputs["scale"]]
    runs = 1 if inputs["motion"] == "hop" else len(COMMANDS)
    return TrainingGame(inputs, simulator(effort.candidates * runs), effort)
