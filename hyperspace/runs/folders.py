"""Run folders: ours and the published ones, of one agent and of several (docs/reference).

Of a published run it was not recorded what agents had in sight, so that is concluded: of each peer
the best of the generations before.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec

from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import written_name
from hyperspace.kernel.state.config import RunConfig, read_record, read_record_of, require_format
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.remote.place import has_space
from hyperspace.launch.served_models import weights_of
from hyperspace.runs.conditions import conditions_of
from hyperspace.runs.files import ReadingNotes, inner, number, truth, whole, words
from hyperspace.runs.generations import (
    MOST_HELD_BYTES,
    direction_of,
    generation_folders,
    read_generations,
)
from hyperspace.runs.records import Generation, Run, RunAgent, StrategyRead, best_turn
from hyperspace.runs.research.kind import is_research
from hyperspace.runs.spent import spent_of
from markspace.errors import StoreError

if TYPE_CHECKING:
    from hyperspace.runs.ours import SpaceRead

T = TypeVar("T")
SEED: Final = re.compile(r"seed_?([0-9]{1,18})")
NO_AGENTS: Final = ("test_eval", "abandoned", "repo", "start")


class _Source(NamedTuple):
    """The files of a run beside its generations.

    Attributes:
        folder: The run's.
        record: Its run_config.json.
        ours: The configuration in it; empty of a published run.
        summary: Its summary.json.
        notes: What is missing or damaged.
    """

    folder: Path
    record: dict[str, Any]
    ours: dict[str, Any]
    summary: dict[str, Any]
    notes: ReadingNotes


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run: it is called `seed<n>`, has a record, or has agents.

    A run that was moved or copied is still one.
    """
    if SEED.fullmatch(folder.name) or os.path.lexists(folder / "run_config.json"):
        return True
    if is_research(folder):
        return True
    if (folder / "archive.jsonl").is_file() and generation_folders(folder):
        return True
    return any(map(_is_agent, _folders_in(folder)))


def _is_agent(folder: Path) -> bool:
    """Return whether a folder is an agent's, and no run of its own."""
    if SEED.fullmatch(folder.name) or is_research(folder):
        return False
    try:
        has_summary = (folder / "summary.json").is_file()
    except PermissionError:  # nobody can tell, and what lies beside it can be read
        return False
    if not has_summary:
        return False
    path = folder / "run_config.json"
    record = ReadingNotes(folder).object_of(path, needed=False)
    is_a_run = "configuration" in record or ("seed" in record and "agent_name" not in record)
    is_damaged = not record and os.path.lexists(path)  # of a run: its siblings are runs as well
    return not (is_a_run or is_damaged or (folder / "archive.jsonl").is_file())


def read_run(folder: Path, *, need_space: bool = False, hold_code: bool = False) -> Run:
    """Read one run; what is missing or damaged stands in its notes.

    Args:
        folder: The run's.
        need_space: Refuse a run of ours whose space cannot be read; else its files are read, as
            those of a published run, and that is noted.
        hold_code: Keep the code that is read on the way: for one run at a time.

    Raises:
        RunUsageError: Another version wrote it; its record is lost or damaged, and it has a space,
            or the space is needed.
        RunDamaged: It has lost its space, or marks in it, and the space is needed.
        StoreError: Its space cannot be read, and is needed.
    """
    if is_research(folder):
        from hyperspace.runs.research.scored import read_research_run  # with all that plays ideas

        return read_research_run(folder)
    notes = ReadingNotes(folder)
    record = notes.object_of(folder / "run_config.json")
    ours = inner(record, "configuration")
    if ours or "format" in record:
        require_format(record.get("format"), folder / "run_config.json")
    elif not record and RunFolder(folder).space.exists():  # no published run has a space
        read_record(folder / "run_config.json")
    # An unfinished run of ours has no summary yet; a published one of one agent always has.
    needed = not ours and bool(generation_folders(folder))
    summary = notes.object_of(folder / "summary.json", needed=needed)
    source = _Source(folder, record, ours, summary, notes)
    space = _ours(source, need_space=need_space)
    if space is None:
        agents = tuple(_published_agents(source, hold_code=hold_code))
    else:
        agents = space.agents
        if not space.finished:  # a summary would be of an end before the run was extended
            source = source._replace(summary={})
    if not any(agent.generations for agent in agents):
        notes.say("there is no agent with generations in it")
    agents = tuple(_with_summary(source, agent) for agent in agents)
    return _run(source, space, agents)


def _ours(source: _Source, *, need_space: bool) -> "SpaceRead | None":
    """Read a run of ours from its space; None if that is not to be had."""
    folder = RunFolder(source.folder)
    is_kept = folder.record.is_file() and has_space(folder)
    if not (is_kept or source.ours):
        return None
    from hyperspace.runs.ours import (
        read_space,  # with all of a space, which published runs do without
    )

    try:
        config = read_record_of(folder.root).configuration
        return read_space(folder, config, source.notes)
    except (RunUsageError, RunDamaged, StoreError) as error:
        if need_space and (is_kept or "format" in source.record):
            raise
        why = "has no space.db" if not is_kept else f"cannot be read from its space ({error})"
        source.notes.say(f"the run {why}: its scores are those of each metadata.json")
        return None


def _run(source: _Source, space: "SpaceRead | None", agents: tuple[RunAgent, ...]) -> Run:
    config = None if space is None else space.config
    folder, record, ours, summary, notes = source
    solo, fleet = inner(ours, "solo"), inner(ours, "fleet")
    model = words(record, "model")  # all that a published record says of conditions
    is_solo = bool(generation_folders(folder))
    experiment = words(solo, "experiment") or written_name(_home(folder).parent.name) * is_solo
    arm = words(solo, "arm") or _arm(folder, ours)
    # What makes an arm: of a solo run its terms, of a fleet what its agents see.
    names = ("arm", "stream", "experiment", "told")  # each seed is told another one's advice
    terms = {name: value for name, value in solo.items() if name not in names}
    at_equal_cost = {name: value for name, value in fleet.items() if name == "equal_cost" and value}
    # Which way is up, from the first agent that says so; published reports do not.
    folders = _agent_folders(source) if ours else []
    directions = (direction_of(path, notes) for path in folders)
    return Run(
        experiment=experiment,
        domain=words(ours, "domain"),
        arm=arm,
        pairing=_pairing(folder, config) or "/".join(filter(None, (experiment, arm))),
        seed=_seed(source),
        source=str(folder),
        agents=agents,
        spent=spent_of(folder, summary, notes) if ours else None,
        higher_is_better=next((higher for higher in directions if higher is not None), None),
        test_exposed=_first(
            truth(summary, "test_exposed"), None if space is None else space.test_exposed
        ),
        validation_bits=number(inner(summary, "validation"), "most_bits"),
        finished=space.finished if space is not None else bool(summary) if ours else None,
        stream=words(solo, "stream") or words(fleet, "stream"),
        terms=inner(fleet, "sharing") | at_equal_cost | terms,
        measure=None if config is None or config.fleet is None else config.fleet.measure,
        conditions=conditions_of(
            ours or ({"models": [model]} if model else {}),
            weights_of(RunFolder(folder).served_models),
        ),
        notes=notes.lines(),
    )


def _home(folder: Path) -> Path:
    """The folder that is named after the arm: a moved run's own."""
    folder = folder.resolve()
    return folder.parent if SEED.fullmatch(folder.name) else folder


def _pairing(folder: Path, config: RunConfig | None) -> str:
    """Return the name of a run of ours wherever it lies; a fleet's is that of its folder."""
    if config is None:
        return ""
    return folder.resolve().parent.name if config.kind == "fleet" else config.name


def _arm(folder: Path, ours: dict[str, Any]) -> str:
    """An arm's name from its folder; a moved run of ours is called as the launch called it."""
    agents = _names(ours)
    if SEED.fullmatch(folder.name) or not agents:
        return written_name(_home(folder).name)
    fleet = inner(ours, "fleet")
    own = (words(inner(fleet, "sharing"), "arm"), words(fleet, "stream"))
    return "_".join(["_vs_".join(agents), *(name for name in own if name not in ("", "sharing"))])


def _seed(source: _Source) -> int:
    named = SEED.fullmatch(source.folder.resolve().name)
    in_name = int(named[1]) if named else None
    in_files = (whole(source.record, "seed"), whole(source.summary, "seed"))
    seed = _first(whole(source.ours, "seed"), in_name, *in_files)
    if seed is None:
        source.notes.say("no file says its seed; it is shown as seed 0")
    return seed or 0


def _published_agents(source: _Source, *, hold_code: bool) -> Iterator[RunAgent]:
    """Read agents from their files: those of a published run, or of one without its space."""
    folder = source.folder
    if not source.ours and generation_folders(folder):
        yield _agent(source, "", folder, hold_code=hold_code)
        return
    agents = [
        _agent(source, written_name(path.name), path, hold_code=hold_code)
        for path in _agent_folders(source)
    ]
    if not source.ours and len(agents) not in (0, 2):
        source.notes.say(f"{len(agents)} agents in place of two")
    yield from (_with_sight(agent, agents) for agent in agents)


def _agent(source: _Source, name: str, folder: Path, *, hold_code: bool) -> RunAgent:
    held = MOST_HELD_BYTES if hold_code else 0
    generations = read_generations(source.folder, folder, source.notes, most_held_bytes=held)
    if not generations:
        source.notes.say(f"{name}: no generations")
    record = ReadingNotes(folder).object_of(folder / "run_config.json", needed=False)
    planned = _planned(source, name)
    return RunAgent(name, generations, planned=planned, model=words(record, "model") or name)


def _with_summary(source: _Source, agent: RunAgent) -> RunAgent:
    """Take from summaries what generations do not say, and note where they say otherwise."""
    summary = source.summary
    if agent.name:
        own = source.folder / agent.name / "summary.json"
        told = {
            words(fields, "name"): fields for fields in _list(summary, "agents", dict[str, Any])
        }
        fields = source.notes.object_of(own, needed=bool(source.ours and agent.generations))
        summary = fields | told.get(agent.name, {})
    for line in _rotations(agent):
        source.notes.say(line)
    said = _first(number(summary, "best_val"), number(summary, "best_val_score"))
    if said is not None and said != agent.best_val:
        best = "none" if agent.best_val is None else f"{agent.best_val:g}"
        source.notes.say(
            f"the summary{' of ' + agent.name if agent.name else ''} says best validation score "
            f"{said:g}, and the generations that can be read say {best}; the latter counts"
        )
    tests = (number(summary, "test"), number(summary, "test_accuracy"))
    test = _first(agent.test, *tests, number(source.summary, "test_accuracy"))
    return msgspec.structs.replace(agent, test=test)


def _rotations(agent: RunAgent) -> Iterator[str]:
    """Say what the best of each epoch of validation items was worth on the next ones."""
    for row in agent.generations:
        if row.rescored is not None and (best := agent.turn(row.rescored.generation)) is not None:
            before = best_turn(agent, before=row.generation) or best
            yield (
                f"{agent.name}: validation items were drawn anew at generation {row.generation}; "
                f"generation {best.generation}, the best so far, has {_told(row.rescored.val)} on "
                f"them, and had {_told(before.val)}"
            )


def _told(score: float | None) -> str:
    return "no score" if score is None else f"{score:.3f}"


def _planned(source: _Source, name: str) -> int | None:
    """Generations that an agent was to play; the members of a fleet have budgets of their own."""
    ours = source.ours
    members = dict(
        zip(_names(ours), _list(inner(ours, "fleet"), "members", dict[str, Any]), strict=False)
    )
    return _first(
        whole(members.get(name, {}), "generations"),
        whole(ours, "generations"),
        whole(source.record, "iterations"),
        whole(source.summary, "max_generations"),
    )


def _agent_folders(source: _Source) -> list[Path]:
    """The folders of a run's agents: in the order of its record, else by name."""
    order = _names(source.ours)
    folders = [
        path
        for path in _folders_in(source.folder)
        if generation_folders(path) or (not source.ours and _is_agent(path))
    ]
    return sorted(folders, key=lambda path: order.index(path.name) if path.name in order else -1)


def _folders_in(folder: Path) -> list[Path]:
    """Folders by name; links are none, and neither is what holds no agent."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_dir() and not path.is_symlink() and path.name not in NO_AGENTS
    )


def _with_sight(agent: RunAgent, agents: Iterable[RunAgent]) -> RunAgent:
    peers = [peer for peer in agents if peer.name != agent.name]
    rows: list[Generation] = []
    for row in agent.generations:
        bests = [(peer.name, best_turn(peer, before=row.generation)) for peer in peers]
        seen = (
            StrategyRead(name, b.generation, f"{name}_gen{b.generation}", b.task, b.meta, b.val)
            for name, b in bests
            if b is not None
        )
        rows.append(msgspec.structs.replace(row, seen=tuple(seen)))
    return msgspec.structs.replace(agent, generations=tuple(rows))


def _names(ours: dict[str, Any]) -> list[str]:
    """The agents of a run of ours, in turn order."""
    return _list(ours, "agents", str)


def _list(fields: dict[str, Any], name: str, kind: type[T]) -> list[T]:
    """A list of values of one kind; an empty one where there is none."""
    try:
        return msgspec.convert(fields.get(name) or [], list[kind])
    except msgspec.ValidationError:
        return []


def _first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)
