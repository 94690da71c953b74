"""What a reward may name, at each control step."""

import math
from collections.abc import Callable, Sequence
from typing import Protocol

from hyperspace.tasks.go2.robot import STANDING

NAMES = {
    "v_cmd": "forward speed that is asked for, m/s; 0 in a hop",
    "v_x": "forward speed of the torso, m/s",
    "v_y": "its speed to the left",
    "v_z": "its speed upwards",
    "yaw_rate": "how fast it turns about the vertical, rad/s",
    "tilt_rate": "how fast it rolls and pitches, rad/s",
    "height": "of the torso above the ground, m; about 0.31 standing",
    "up": "cosine of its tilt; 1 is level",
    "joint_speed": "root mean square of the twelve joints' speeds, rad/s",
    "torque": "root mean square of the twelve torques, Nm",
    "power": "sum of torque times speed without signs, W",
    "action_rate": "root mean square change of the twelve targets since the last step, rad",
    "pose": "root mean square deviation of the joints from standing, rad",
    "contacts": "contacts with the ground; 4 standing",
}
_POSE = STANDING * 4


class RobotState(Protocol):
    """What a simulator reads off a robot after a control step."""

    @property
    def height(self) -> float:
        """Of the torso above the ground, m."""
        ...

    @property
    def turn(self) -> Sequence[float]:
        """Rotation matrix from the torso's axes to the world's, nine numbers by rows."""
        ...

    @property
    def velocity(self) -> Sequence[float]:
        """Of the torso in the world's axes, m/s."""
        ...

    @property
    def spin(self) -> Sequence[float]:
        """Angular velocity of the torso in its own axes, rad/s."""
        ...

    @property
    def angles(self) -> Sequence[float]:
        """Of the twelve joints in the order of `hyperspace.tasks.go2.robot.LEGS`, rad."""
        ...

    @property
    def speeds(self) -> Sequence[float]:
        """Of the joints, rad/s."""
        ...

    @property
    def torques(self) -> Sequence[float]:
        """Of the joints' servos, Nm."""
        ...

    @property
    def contacts(self) -> int:
        """With the ground."""
        ...


class Readings(dict[str, float]):
    """What a reward may name at one step; each number is worked out when it is first read.

    Most rewards name few of them, and all of them take as long as half a step of the simulator.
    """

    def __init__(
        self, state: RobotState, command: float, told: Sequence[float], previous: Sequence[float]
    ) -> None:
        """Look at a robot, which must not move on while this is in use.

        Args:
            state: Of the robot.
            command: Speed that is asked for, m/s.
            told: Targets of the servos in this step, rad.
            previous: Those of the step before.
        """
        super().__init__(v_cmd=command)
        self.state, self.told, self.previous = state, told, previous

    def __missing__(self, name: str) -> float:
        """Work a number out."""
        value = self[name] = _READINGS[name](self)
        return value

    def along(self, axis: int) -> float:
        """Speed along an axis of the torso, in m/s."""
        velocity, turn = self.state.velocity, self.state.turn
        return sum(velocity[row] * turn[3 * row + axis] for row in range(3))

    def power(self) -> float:
        """Sum of torque times speed without signs, in W."""
        return sum(
            abs(torque * speed)
            for torque, speed in zip(self.state.torques, self.state.speeds, strict=True)
        )

    def change(self) -> list[float]:
        """Change of the targets since the last step, in rad."""
        return [new - old for new, old in zip(self.told, self.previous, strict=True)]

    def bend(self) -> list[float]:
        """Deviation of the joints from standing, in rad."""
        return [angle - usual for angle, usual in zip(self.state.angles, _POSE, strict=True)]


_READINGS: dict[str, Callable[[Readings], float]] = {
    "v_x": lambda now: now.along(0),
    "v_y": lambda now: now.along(1),
    "v_z": lambda now: now.state.velocity[2],
    "yaw_rate": lambda now: now.state.spin[2],
    "tilt_rate": lambda now: math.hypot(*now.state.spin[:2]),
    "height": lambda now: now.state.height,
    "up": lambda now: now.state.turn[8],
    "joint_speed": lambda now: _root_mean_square(now.state.speeds),
    "torque": lambda now: _root_mean_square(now.state.torques),
    "power": Readings.power,
    "action_rate": lambda now: _root_mean_square(now.change()),
    "pose": lambda now: _root_mean_square(now.bend()),
    "contacts": lambda now: float(now.state.contacts),
}


def _root_mean_square(values: Sequence[float]) -> float:
    return math.sqrt(sum(value * value for value in values) / len(values))
