"""Graphics cards of the host in a sandbox: which there are, and what having one changes."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from guards.sandboxes.boot import resource_limits
from guards.sandboxes.bubblewrap.confinement import confine, interpreter
from guards.sandboxes.cards import (
    VISIBLE,
    device_files,
    require_card,
    visible_cards,
)
from guards.sandboxes.choose import choose
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxUnavailable
from tests.support.sandboxes import LIMITS, look_inside, needs_bubblewrap

needs_card = pytest.mark.skipif(not visible_cards(), reason="this machine has no graphics card")
LOOK = """
import ctypes, json, os
def begun():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0)
    except OSError:
        return None
print(json.dumps([sorted(name for name in os.listdir("/dev") if "nvidia" in name), begun()]))
"""
TAKES_MEMORY = """
import mmap
far = mmap.mmap(-1, 8 << 30, prot=0)  # addresses alone, as a driver reserves them
try:
    bytearray(1 << 30)
except MemoryError:
    print("refused")
"""


def devices(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch()
    return folder


async def seen(sandbox: Sandbox, cards: tuple[int, ...]) -> tuple[list[str], int | None]:
    job = Job("score", {"look.py": LOOK.encode()}, limits=LIMITS, cards=cards)
    reply = await look_inside(sandbox, job)
    names, begun = json.loads(reply["stdout"])
    return names, begun


def test_cards_are_those_of_the_machine_that_the_variable_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VISIBLE, raising=False)
    assert visible_cards(tmp_path) == ()
    folder = devices(tmp_path, "nvidia0", "nvidia3", "nvidia10", "nvidiactl", "nvidia-uvm", "null")
    assert visible_cards(folder) == (0, 3, 10)
    for said, left in (("3,10", (3, 10)), ("10,3,7", (3, 10)), ("", ()), ("-1", ())):
        monkeypatch.setenv(VISIBLE, said)
        assert visible_cards(folder) == left, said
    monkeypatch.setenv(VISIBLE, "GPU-352b0b34")
    with pytest.raises(SandboxUnavailable, match="set it to numbers"):
        visible_cards(folder)


def test_a_card_comes_with_the_files_of_its_driver_and_no_card_with_nothing() -> None:
    assert device_files(()) == ()
    given = device_files((3,))
    assert given == ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia3")


@needs_bubblewrap
def test_device_files_can_be_used_and_their_folder_not_be_written() -> None:
    walls = confine(interpreter(), Limits(), (), devices=("/dev/nvidia3",))
    at = walls.index("--dev-bind")
    assert walls[at : at + 3] == ["--dev-bind", "/dev/nvidia3", "/dev/nvidia3"]
    assert walls[at + 3 : at + 5] == ["--remount-ro", "/dev"]
    assert "--dev-bind" not in confine(interpreter(), Limits(), ())


def test_a_sandbox_that_has_none_to_give_says_so() -> None:
    with pytest.raises(SandboxUnavailable, match="process has no graphics card to give"):
        anyio.run(seen, ProcessSandbox(), (0,))
    with pytest.raises(SandboxUnavailable, match="docker has no graphics card to give"):
        require_card("docker")


def test_without_a_card_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, "")
    with pytest.raises(SandboxUnavailable, match="a graphics card is needed"):
        require_card("bubblewrap")


def test_with_a_card_memory_is_bounded_and_addresses_are_not() -> None:
    limits = Limits(memory_bytes=512 * 1024**2)
    bounds = resource_limits(limits, has_card=True)
    assert "RLIMIT_AS" not in bounds
    assert resource_limits(limits).keys() - bounds.keys() == {"RLIMIT_AS"}

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, bounds["RLIMIT_DATA"])

    command = [sys.executable, "-I", "-c", TAKES_MEMORY]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=bound, check=True)
    assert done.stdout == "refused\n"


@needs_bubblewrap
def test_code_that_was_given_no_card_sees_none() -> None:
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    names, begun = anyio.run(seen, sandbox, ())
    assert names == [] and begun != 0


@needs_bubblewrap
@needs_card
def test_code_that_was_given_a_card_begins_its_driver() -> None:
    card = visible_cards()[0]
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    names, begun = anyio.run(seen, sandbox, (card,))
    assert names == sorted(["nvidiactl", "nvidia-uvm", f"nvidia{card}"])
    assert begun == 0
