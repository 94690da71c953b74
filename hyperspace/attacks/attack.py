"""An attack, and the scene in which it is played."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from guards.defences import ALL_IN_FORCE, OF_THE_HOST, Defence, Without
from guards.sandboxes.sandbox import Limits, Sandbox
from hyperspace.attacks.target import Target

GOT_THROUGH = "got through"
UNCLEAR = "unclear"
BOUNDS: dict[Defence, tuple[str, float]] = {
    Defence.WALL_CLOCK: ("wall_s", 60.0),
    Defence.CPU: ("cpu_s", 600),
    Defence.MEMORY: ("memory_bytes", 4 * 1024**3),
    Defence.PIDS: ("processes", 4096),
    Defence.OPEN_FILES: ("open_files", 4096),
    Defence.DISK: ("disk_bytes", 256 * 1024**2),
    Defence.OUTPUT: ("output_bytes", 1024**3),
    Defence.FRAME_SIZE: ("frame_bytes", 1024**3),
    Defence.ALONE: ("alone", False),
}


class AttackScene(msgspec.Struct, frozen=True):
    """The scene of an attack: a sandbox and what can be reached from it.

    Attributes:
        make: Makes the sandbox, without the defences that are named.
        target: What there is to reach on the host.
        without: Defences that a test has taken away.
    """

    make: Callable[[Without], Sandbox]
    target: Target
    without: Without = ALL_IN_FORCE

    @property
    def sandbox(self) -> Sandbox:
        """A sandbox to play in."""
        return self.make(self.without)

    def bounded(self, limits: Limits) -> Limits:
        """The limits, but for those that are taken away."""
        gone = {BOUNDS[defence][0]: BOUNDS[defence][1] for defence in self.without & BOUNDS.keys()}
        return msgspec.structs.replace(limits, **gone)


class Play(Protocol):
    """A way to carry out an attack."""

    @property
    def expected(self) -> str:
        """The verdict when the defences hold."""
        ...

    async def play(self, scene: AttackScene) -> str:
        """Carry it out.

        Returns:
            The verdict: `expected`, `got through`, or `unclear: ` and what happened instead.
        """
        ...


class Attack(msgspec.Struct, frozen=True):
    """One thing that hostile code tries.

    Attributes:
        family: `files`, `process`, `network`, `kernel`, `broker`, `evaluation`, `shapes`,
            `sight`, `narrative`.
        name: Names it within the corpus.
        about: What it tries and why that would be bad, in one line.
        play: How it is carried out.
        stopped_by: The defences that stop it; each of them alone is enough.
        hindered_by: Another that may stop it, depending on timing.
        since: Version of Linux that brought what it uses: on older ones it cannot get through.
    """

    family: str
    name: str
    about: str
    play: Play
    stopped_by: Without
    hindered_by: Without = ALL_IN_FORCE
    since: tuple[int, int] = (0, 0)

    @property
    def is_stopped_by_host(self) -> bool:
        """Whether the host's own code stops it, so that it is the same in every sandbox."""
        return self.stopped_by <= OF_THE_HOST


class Family:
    """Collects the attacks of one family."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.attacks: list[Attack] = []

    def add(
        self,
        name: str,
        about: str,
        play: Play,
        *stopped_by: Defence,
        also: Defence | None = None,
        since: tuple[int, int] = (0, 0),
    ) -> None:
        """Add an attack."""
        also_by = frozenset({also} if also else ())
        attack = Attack(self.name, name, about, play, frozenset(stopped_by), also_by, since)
        self.attacks.append(attack)


def unclear(what: object) -> str:
    """The verdict on what was not foreseen."""
    return f"{UNCLEAR}: {' '.join(str(what).split())[:160]}"
