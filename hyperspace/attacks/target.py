"""Targets on a host while attacks run: planted for them, worth nothing."""

import ctypes
import os
import platform
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

LIFE_S = "600"
VARIABLE = "HYPERSPACE_SELFTEST"
IPC_PRIVATE, IPC_REMOVE, FOR_ALL = 0, 0, 0o1666


class Target(msgspec.Struct, frozen=True):
    """A host with something to reach; attacks are told the truth about it.

    Attributes:
        folder: Folder on the host that every user can enter and write to.
        secret: What is planted wherever something could be read.
        facts: What attacks are told: paths, ports, process ids.
    """

    folder: Path
    secret: str
    facts: Mapping[str, object]


@contextmanager
def planted() -> Generator[Target]:
    """Plant what attacks look for; it is gone when the context is left."""
    secret = secrets.token_hex(8)
    with ExitStack() as held:
        os.environ[VARIABLE] = secret
        held.callback(os.environ.pop, VARIABLE)
        name = held.enter_context(tempfile.TemporaryDirectory(prefix="hyperspace-target-"))
        folder = Path(name)
        folder.chmod(0o777)
        _plant_files(folder, secret)
        facts = {**_listeners(held, folder), **_process(held, secret), **_shared_memory(held)}
        words = {"folder": name, "secret": secret, "node": platform.node()}
        yield Target(folder, secret, {**facts, **words})


def alive(mark: str) -> list[int]:
    """Processes of this host that carry a mark as their name."""
    pids: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (entry / "comm").read_text("latin-1").strip() == mark:
                pids.append(int(entry.name))
    return pids


def _plant_files(folder: Path, secret: str) -> None:
    (folder / "readable").write_text(secret)
    (folder / "writable").write_text("")
    (folder / "writable").chmod(0o666)
    (folder / "packages").mkdir()
    (folder / "packages" / "hyperspace_planted.py").write_text(f"WORDS = {secret!r}\n")
    for name in ("home", ".git"):
        (folder / name).mkdir(mode=0o700)
        (folder / name / "HEAD").write_text(secret)
    (folder / "private").write_text(secret)
    (folder / "private").chmod(0o600)


def _listeners(held: ExitStack, folder: Path) -> dict[str, object]:
    tcp = held.enter_context(socket.create_server(("", 0)))
    udp = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    abstract = f"hyperspace-{secrets.token_hex(8)}"
    for address in (f"\0{abstract}", str(folder / "s")):
        listener = held.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(address)
        listener.listen()
    (folder / "s").chmod(0o777)
    return {
        "port": tcp.getsockname()[1],
        "udp": udp.getsockname()[1],
        "address": _own_address(),
        "abstract": abstract,
        "socket": str(folder / "s"),
    }


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return "127.0.0.2"
        return str(probe.getsockname()[0])


def _process(held: ExitStack, secret: str) -> dict[str, object]:
    process = held.enter_context(
        subprocess.Popen(
            [secret, LIFE_S],
            executable=shutil.which("sleep") or "/bin/sleep",
            env={VARIABLE: secret},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    )
    held.callback(process.kill)
    return {"pid": process.pid, "coordinator": os.getpid()}


def _shared_memory(held: ExitStack) -> dict[str, object]:
    libc = ctypes.CDLL(None)
    made = int(libc.shmget(IPC_PRIVATE, 4096, FOR_ALL))
    held.callback(libc.shmctl, made, IPC_REMOVE, None)
    return {"shared": made}
