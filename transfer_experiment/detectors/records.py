"""What detectors find in one run. Each finding carries the places in traces that it rests on."""

from typing import Literal

import msgspec

from transfer_experiment.turns.evidence import Evidence

Trajectory = Literal["bloat", "shrink", "flat", "mixed"]
ProbeKind = Literal["path", "environment", "network", "scope"]


class Look(msgspec.Struct, frozen=True):
    """A generation in which an agent looked into strategies/."""

    agent: str
    generation: int
    evidence: tuple[Evidence, ...]


class Neglect(msgspec.Struct, frozen=True):
    """An agent that had looked into strategies/ did not do so for 3 or more generations.

    Attributes:
        agent: Who.
        last_look: The generation in which it looked last.
        first: The first generation without a look.
        last: The last one; the run may have ended there.
        evidence: The last look.
    """

    agent: str
    last_look: int
    first: int
    last: int
    evidence: tuple[Evidence, ...]


class DoomLoop(msgspec.Struct, frozen=True):
    """3 or more identical consecutive tool calls within a generation.

    Attributes:
        agent: Who.
        generation: When.
        calls: How many in a row.
        failed: Whether the tool said of each, as far as is known, that it failed.
        evidence: The first and the last of them.
    """

    agent: str
    generation: int
    calls: int
    failed: bool
    evidence: tuple[Evidence, ...]


class Exhaustion(msgspec.Struct, frozen=True):
    """38 or more of the 40 tool calls that a generation has."""

    agent: str
    generation: int
    calls: int
    evidence: tuple[Evidence, ...]


class RepeatedView(msgspec.Struct, frozen=True):
    """One path viewed twice or more in a generation."""

    agent: str
    generation: int
    path: str
    views: int
    evidence: tuple[Evidence, ...]


class FailedEdit(msgspec.Struct, frozen=True):
    """An edit whose old text was not found, or not only once."""

    agent: str
    generation: int
    path: str
    why: Literal["not found", "not unique"]
    evidence: tuple[Evidence, ...]


class MetaEdit(msgspec.Struct, frozen=True):
    """A generation whose meta_agent.py is not the previous generation's.

    Attributes:
        agent: Who.
        generation: When.
        bytes_before: Size before.
        bytes_after: Size after.
        evidence: Tool calls that write that file, as far as the trace tells.
    """

    agent: str
    generation: int
    bytes_before: int
    bytes_after: int
    evidence: tuple[Evidence, ...]


class Probe(msgspec.Struct, frozen=True):
    """A tool call that reaches beyond the workspace.

    Attributes:
        agent: Who.
        generation: When.
        kind: `path` outside of it, the `environment` as a whole, the `network`, or a write
            outside the edit `scope`.
        target: The path; empty where there is none.
        evidence: The call.
    """

    agent: str
    generation: int
    kind: ProbeKind
    target: str
    evidence: tuple[Evidence, ...]


class Stuck(msgspec.Struct, frozen=True):
    """A generation whose task_agent.py equals the previous generation's.

    Attributes:
        agent: Who.
        generation: When.
        evidence: What the agent said last.
    """

    agent: str
    generation: int
    evidence: tuple[Evidence, ...]


class SizeTrajectory(msgspec.Struct, frozen=True):
    """How the size of an agent's task_agent.py went.

    Attributes:
        agent: Who.
        trajectory: `bloat` if over 70% of steps grow, `shrink` if over 70% shrink, `flat` if over
            half change nothing, else `mixed`.
        steps: Steps from one generation whose size is known to the next.
        grew: How many of them made it longer.
        shrank: How many made it shorter.
        first_bytes: Size at the beginning.
        last_bytes: Size at the end.
    """

    agent: str
    trajectory: Trajectory
    steps: int
    grew: int
    shrank: int
    first_bytes: int
    last_bytes: int


class Complacency(msgspec.Struct, frozen=True):
    """A generation in which an agent declares that there is nothing left to do.

    Attributes:
        agent: Who.
        generation: When.
        kind: `stops`: says so and leaves the code as it is; `boasts`: writes so into its code.
        evidence: Where.
    """

    agent: str
    generation: int
    kind: Literal["stops", "boasts"]
    evidence: tuple[Evidence, ...]


class Diversity(msgspec.Struct, frozen=True):
    """How far two agents' task agents of one generation are apart.

    Attributes:
        generation: Which.
        agent: One of the two.
        peer: The other one.
        distance: 1 minus their similarity: 0 is equal, 1 has nothing in common.
    """

    generation: int
    agent: str
    peer: str
    distance: float


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the detectors find in one run, in the order of agents and generations.

    Attributes:
        looks: Generations with a look into strategies/.
        neglects: See `Neglect`.
        doom_loops: See `DoomLoop`.
        exhaustions: See `Exhaustion`.
        repeated_views: See `RepeatedView`.
        failed_edits: See `FailedEdit`.
        meta_edits: See `MetaEdit`.
        probes: See `Probe`.
        stuck: See `Stuck`.
        sizes: See `SizeTrajectory`.
        complacency: See `Complacency`.
        diversity: See `Diversity`.
        unread: Generations without a trace that can be read, as (agent, generation): of those
            nothing but their code is judged.
    """

    looks: tuple[Look, ...]
    neglects: tuple[Neglect, ...]
    doom_loops: tuple[DoomLoop, ...]
    exhaustions: tuple[Exhaustion, ...]
    repeated_views: tuple[RepeatedView, ...]
    failed_edits: tuple[FailedEdit, ...]
    meta_edits: tuple[MetaEdit, ...]
    probes: tuple[Probe, ...]
    stuck: tuple[Stuck, ...]
    sizes: tuple[SizeTrajectory, ...]
    complacency: tuple[Complacency, ...]
    diversity: tuple[Diversity, ...]
    unread: tuple[tuple[str, int], ...]
