"""A small attack that shows whether a sandbox holds on this machine.

What is planted exists only for the attack, and whether it was reached is seen from the host: a
secret that comes back, a connection that arrives, a file that appears.
"""

import secrets
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxEnded, SandboxFailed

VARIABLE = "HYPERSPACE_CANARY"
LIMITS = Limits(wall_s=30.0, cpu_s=20, processes=32)
LIFE_S = 60.0
ATTACK = """
import glob, json, socket


def read_key(told):
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                for line in file.read().split(bytes(1)):
                    if line.startswith(told["variable"].encode()):
                        return line.decode()
        except OSError:
            pass
    return "no process with a key in sight"


def connect(told):
    socket.create_connection(("127.0.0.1", told["port"]), 2).close()
    return "connected"


def read_home(told):
    with open(told["home"]) as file:
        return file.read()


def write_outside(told):
    with open(told["outside"], "w") as file:
        file.write("written")
    return "written"


class TaskAgent:
    def __init__(self, model):
        pass

    def forward(self, inputs):
        said = {}
        for attack in (read_key, connect, read_home, write_outside):
            try:
                said[attack.__name__] = attack(inputs)
            except Exception as error:
                said[attack.__name__] = repr(error)
        return json.dumps(said), []
"""


class CanaryAttempt(msgspec.Struct, frozen=True):
    """One thing that the attack tried.

    Attributes:
        name: What it tried to reach.
        got_through: Whether it reached it, as the host saw.
    """

    name: str
    got_through: bool


class Plant(msgspec.Struct, frozen=True):
    """Targets on this host while the attack runs.

    Attributes:
        key: Secret in the environment of a process.
        listener: Accepts TCP connections on the loopback address.
        home: File in the home folder; its content is `words`.
        words: Another secret.
        outside: Path, outside of every workspace, where nothing is yet.
    """

    key: str
    listener: socket.socket
    home: Path
    words: str
    outside: Path


async def prove(sandbox: Sandbox) -> tuple[CanaryAttempt, ...]:
    """Run the attack in a sandbox and tell what it reached.

    Raises:
        SandboxError: The sandbox does not work here, or the attack did not run to its end.
    """
    with _planted() as plant:
        said = await _attack(sandbox, plant)
        return (
            CanaryAttempt("key in the host's environment", plant.key in said),
            CanaryAttempt("loopback network", _was_called(plant.listener)),
            CanaryAttempt("file in the home folder", plant.words in said),
            CanaryAttempt("write outside the workspace", plant.outside.exists()),
        )


async def _attack(sandbox: Sandbox, plant: Plant) -> str:
    files = {"task_agent.py": ATTACK.encode()}
    inputs = {
        "variable": VARIABLE,
        "port": plant.listener.getsockname()[1],
        "home": str(plant.home),
        "outside": str(plant.outside),
    }
    request = {"op": "predict", "id": "canary", "inputs": inputs, "model": "none"}
    try:
        async with sandbox.start(Job("worker", files, None, LIMITS, "canary")) as running:
            reply = await running.request(request, LIMITS.wall_s)
    except SandboxEnded as ended:
        raise SandboxFailed(f"the canary attack ended early: {ended}") from ended
    if "prediction" not in reply:
        raise SandboxFailed(f"the canary attack failed by itself: {reply.get('error')}")
    return str(reply["prediction"])


def _was_called(listener: socket.socket) -> bool:
    listener.setblocking(False)
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@contextmanager
def _planted() -> Generator[Plant]:
    key, words = secrets.token_hex(16), secrets.token_hex(16)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        tempfile.NamedTemporaryFile("w", prefix=".hyperspace-canary-", dir=Path.home()) as home,
        tempfile.TemporaryDirectory(prefix="hyperspace-canary-") as folder,
        _process_with(key),
    ):
        home.write(words)
        home.flush()
        yield Plant(key, listener, Path(home.name), words, Path(folder, "written"))


@contextmanager
def _process_with(key: str) -> Generator[None]:
    with subprocess.Popen(["sleep", str(LIFE_S)], env={VARIABLE: key}) as process:
        try:
            yield
        finally:
            process.kill()
