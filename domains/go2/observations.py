"""What a reward may name, at each control step."""

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
