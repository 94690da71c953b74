"""Published run folders: pairs (an agent a folder) and solo arms (the generations alone).

The layout is in docs/reference/analysis.md. What agents had in sight was not recorded there, so it
is concluded: of each peer the best of the generations before.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from evolution.state.folder import TRACE
from runs.files import TextFile, read_json
from runs.ours import is_ours
from runs.records import AgentRead, RunRead, StrategyRead, TurnRead, best_turn
from runs.trace import TraceFile

_GENERATION = re.compile(r"gen_(\d+)")
_SEED = re.compile(r"seed_?(\d+)")


class _Metadata(msgspec.Struct, frozen=True):
    valid: bool | None = None
    error: str | None = None
    train_score: float | None = None
    val_score: float | None = None
    parent: int | None = None


class _Config(msgspec.Struct, frozen=True):
    model: str | None = None
    agent_name: str | None = None
    seed: int | None = None


def is_pair(path: Path) -> bool:
    """Whether a folder holds agents' folders: those with a summary and generations."""
    return bool(_agent_folders(path))


def is_solo(path: Path) -> bool:
    """Whether a folder holds the generations of one arm."""
    return (path / "archive.jsonl").is_file() and bool(_generations(path))


def read_pair(path: Path) -> RunRead:
    """Read a published run of two agents, or of however many there are."""
    notes: list[str] = []
    agents = tuple(_read_agent(path, folder, notes) for folder in _agent_folders(path))
    if len(agents) != 2:
        notes.append(f"{len(agents)} agents in place of two")
    shown = tuple(_with_sight(agent, agents) for agent in agents)
    return _run(path, path.resolve().parent.name, shown, notes)


def read_solo(path: Path) -> RunRead:
    """Read a published solo run: one agent under the arm's name, with nobody in sight."""
    notes: list[str] = []
    where = path.resolve()
    agent = _read_agent(path, path, notes)
    arm = where.parent.name
    agent = msgspec.structs.replace(agent, name=arm)
    return _run(path, f"{where.parent.parent.name}/{arm}", (agent,), notes)


def _run(path: Path, pairing: str, agents: tuple[AgentRead, ...], notes: list[str]) -> RunRead:
    found = _SEED.fullmatch(path.resolve().name)
    return RunRead(pairing, int(found[1]) if found else None, path, agents, tuple(notes))


def _agent_folders(path: Path) -> list[Path]:
    folders = sorted(inner for inner in path.iterdir() if inner.is_dir() and not inner.is_symlink())
    return [
        inner
        for inner in folders
        if (inner / "summary.json").is_file()
        and not (_SEED.fullmatch(inner.name) or is_ours(inner))
    ]


def _generations(folder: Path) -> list[tuple[int, Path]]:
    found = ((_GENERATION.fullmatch(inner.name), inner) for inner in folder.iterdir())
    return sorted((int(name[1]), inner) for name, inner in found if name and inner.is_dir())


def _read_agent(root: Path, folder: Path, notes: list[str]) -> AgentRead:
    config = read_json(folder / "run_config.json", _Config) or _Config()
    turns = tuple(_read_turn(root, place, number, notes) for number, place in _generations(folder))
    if not turns:
        notes.append(f"{folder.name}: no generations")
    return AgentRead(folder.name, config.model or folder.name, turns)


def _read_turn(root: Path, place: Path, number: int, notes: list[str]) -> TurnRead:
    name = str(place.relative_to(root))
    metadata = read_json(place / "metadata.json", _Metadata)
    if metadata is None:
        notes.append(f"{name}/metadata.json cannot be read: no scores")
        metadata = _Metadata()
    return TurnRead(
        generation=number,
        valid=bool(metadata.valid),
        error=metadata.error or "",
        train=_finite(metadata.train_score),
        val=_finite(metadata.val_score),
        parent=metadata.parent,
        task=TextFile(place / "repo" / "task_agent.py"),
        meta=TextFile(place / "repo" / "meta_agent.py"),
        seen=(),
        seen_recorded=False,
        trace=TraceFile(place / TRACE, f"{name}/{TRACE}"),
    )


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None


def _with_sight(agent: AgentRead, agents: tuple[AgentRead, ...]) -> AgentRead:
    turns = tuple(
        msgspec.structs.replace(turn, seen=tuple(_in_sight(agent, turn, agents)))
        for turn in agent.turns
    )
    return msgspec.structs.replace(agent, turns=turns)


def _in_sight(
    agent: AgentRead, turn: TurnRead, agents: tuple[AgentRead, ...]
) -> Iterator[StrategyRead]:
    for peer in agents:
        best = best_turn(peer, before=turn.generation) if peer.name != agent.name else None
        if best is not None:
            folder = f"{peer.name}_gen{best.generation}"
            yield StrategyRead(peer.name, best.generation, folder, best.task, best.meta, best.val)
