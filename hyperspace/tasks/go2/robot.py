"""The robot as MuJoCo's XML: a torso and four legs of three joints, 15.1 kg, the size of a Go2.

As in the reference, a control step of 20 ms has two substeps. Servos of 20 Nm/rad, as on the Go2,
do not carry this robot without sliding joints: it has 40.
"""

LINK_M = 0.213  # thigh, and calf
FOOT_M = 0.022
STANDING = (0.0, 0.9, -1.5)  # hip, thigh and calf of each leg, in radians
LEGS = (("front_left", 1, 1), ("front_right", 1, -1), ("rear_left", -1, 1), ("rear_right", -1, -1))
"""Name, and on which side it is: front or rear, left or right."""
SPAWN_M = 0.33  # height of the torso at the start
_RANGES = (("-0.8", "0.8"), ("-1.0", "2.5"), ("-2.7", "-0.8"))


def robot_xml() -> str:
    """Return the model: ground, robot, and position servos of the joints in the order of `LEGS`."""
    legs = "".join(_leg(name, front, left) for name, front, left in LEGS)
    servos = "".join(
        f'<position joint="{name}_{joint}" kp="40" kv="1" forcerange="-24 24"/>'
        for name, _, _ in LEGS
        for joint in ("hip", "thigh", "calf")
    )
    return f"""<mujoco>
<compiler angle="radian"/>
<option timestep="0.01" integrator="implicitfast" iterations="10"/>
<default><geom contype="0" conaffinity="0" friction="0.9"/>
<joint armature="0.01" damping="0.2"/></default>
<worldbody>
<geom type="plane" size="0 0 1" contype="1" conaffinity="1"/>
<body name="torso" pos="0 0 {SPAWN_M}"><freejoint/>
<geom type="box" size="0.19 0.047 0.057" mass="6.9" contype="1" conaffinity="1"/>
{legs}</body>
</worldbody>
<actuator>{servos}</actuator>
</mujoco>"""


def _leg(name: str, front: int, left: int) -> str:
    ranges = [f'range="{low} {high}"' for low, high in _RANGES]
    return f"""<body pos="{0.193 * front} {0.047 * left} 0">
<joint name="{name}_hip" axis="1 0 0" {ranges[0]}/>
<geom type="sphere" size="0.04" mass="0.68"/>
<body pos="0 {0.095 * left} 0"><joint name="{name}_thigh" axis="0 1 0" {ranges[1]}/>
<geom type="capsule" fromto="0 0 0 0 0 -{LINK_M}" size="0.02" mass="1.15"/>
<body pos="0 0 -{LINK_M}"><joint name="{name}_calf" axis="0 1 0" {ranges[2]}/>
<geom type="capsule" fromto="0 0 0 0 0 -{LINK_M}" size="0.015" mass="0.18"/>
<geom type="sphere" pos="0 0 -{LINK_M}" size="{FOOT_M}" mass="0.04" contype="1" conaffinity="1"/>
</body></body></body>
"""
