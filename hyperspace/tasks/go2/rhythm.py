"""A gait of eight numbers: each joint swings around an angle, diagonal legs in phase."""

import math
from collections.abc import Sequence

from hyperspace.tasks.go2.robot import LEGS, STANDING

START = (2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5)
"""A robot that stands still: frequency in steps a second, swing of hip, swing of thigh for each
m/s of the command, lift of the calf, mean thigh, lean of the thigh for each m/s, mean calf, and by
how much the calf runs ahead of the thigh; radians."""
SPREAD = (0.7, 0.08, 0.6, 0.5, 0.15, 0.15, 0.15, 1.0)
"""How far around `START` a search looks at first, in standard deviations."""
_FREQUENCIES = (0.3, 5.0)
_GROWS_S = 0.25  # from standing to the whole swing


def targets(gait: Sequence[float], command: float, seconds: float, hop: bool) -> list[float]:
    """Return the angle that each servo is told at one time.

    Args:
        gait: Eight numbers, as `START` has them.
        command: Speed that is asked for, in m/s; a hop has 1.
        seconds: Time since the start; the swing grows over the first quarter.
        hop: All legs swing together.
    """
    frequency, hip, thigh, calf, thigh_mean, lean, calf_mean, ahead = gait
    frequency = min(max(frequency, _FREQUENCIES[0]), _FREQUENCIES[1])
    grown = min(1.0, seconds / _GROWS_S)
    angles: list[float] = []
    for _, front, left in LEGS:
        phase = 2 * math.pi * frequency * seconds
        if not hop and front != left:
            phase += math.pi
        swing = grown * math.sin(phase)
        angles += [
            STANDING[0] + hip * left * swing,
            STANDING[1] + grown * (thigh_mean + lean * command) + thigh * command * swing,
            STANDING[2] + grown * calf_mean - calf * grown * max(0.0, math.sin(phase + ahead)),
        ]
    return angles
