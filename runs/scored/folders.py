"""Run folders, ours and the published ones (docs/reference/run-layout.md)."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, cast

import msgspec

from runs.scored.conditions import conditions_of
from runs.scored.files import Notes, number, read_object, truth, whole, words
from runs.scored.generations import direction_of, generation_folders, read_generations
from runs.scored.records import Agent, Run, Spent
from runs.scored.spent import spent_of

T = TypeVar("T")
_SEED: Final = re.compile(r"seed([0-9]{1,18})")
_DEPTH: Final = 5  # <results>/<domain>/<experiment>/<arm>/seed<n>
_NO_RUNS_IN: Final = ("test_eval", "abandoned", "repo")


class _Source(NamedTuple):
    """What is known of a run before its generations are read."""

    folder: Path
    record: dict[str, Any]
    summary: dict[str, Any]
    notes: Notes


def find_runs(base: Path) -> list[Path]:
    """Return the run folders at or below a folder, by name and then by seed.

    A run folder is called `seed<n>`, or has a `run_config.json`: moved or copied, it is still one.
    """
    return list(_find(base.resolve(), _DEPTH))


def _find(folder: Path, depth: int) -> Iterator[Path]:
    if _SEED.fullmatch(folder.name) or (folder / "run_config.json").is_file():
        yield folder
    elif depth > 0:
        for below in sorted(filter(_may_hold_runs, folder.iterdir()), key=_by_seed):
            yield from _find(below, depth - 1)


def _may_hold_runs(folder: Path) -> bool:
    hidden = folder.name in _NO_RUNS_IN or folder.name.startswith((".", "gen_"))
    return folder.is_dir() and not hidden


def _by_seed(folder: Path) -> tuple[str, int, str]:
    match = _SEED.fullmatch(folder.name)
    return ("", int(match[1]), "") if match else (folder.name, 0, "")


def read_run(folder: Path) -> Run:
    """Read one run; what is missing or damaged stands in its notes."""
    notes = Notes(folder)
    record = read_object(folder / "run_config.json", notes)
    ours = _fields(record, "configuration")
    # An unfinished run of ours has no summary yet; a published one always has.
    summary = read_object(folder / "summary.json", notes, needed=not ours and _is_solo(folder))
    source = _Source(folder, record, summary, notes)
    agents = tuple(_read_agents(source, ours))
    if not agents:
        notes.say("there is no agent with generations in it")
    return _run(source, ours, agents)


def _run(source: _Source, ours: dict[str, Any], agents: tuple[Agent, ...]) -> Run:
    folder, _, summary, notes = source
    solo = _fields(ours, "solo")
    return Run(
        experiment=words(solo, "experiment") or (_home(folder).parent.name * _is_solo(folder)),
        domain=words(ours, "domain"),
        arm=words(solo, "arm") or _arm(folder, ours),
        seed=_seed(source, ours),
        source=str(folder),
        agents=agents,
        spent=_spent(source) if ours else None,
        higher_is_better=_direction(source, ours),
        test_exposed=truth(summary, "test_exposed"),
        finished=bool(summary) if ours else None,
        stream=words(solo, "stream"),
        terms=_terms(solo, ours),
        conditions=conditions_of(ours or _published(source.record)),
        notes=notes.lines(),
    )


def _home(folder: Path) -> Path:
    """The folder that is named after the arm: a moved run's own."""
    return folder.parent if _SEED.fullmatch(folder.name) else folder


def _arm(folder: Path, ours: dict[str, Any]) -> str:
    """An arm's name from its folder; a moved run of ours is called as the launch called it."""
    agents = _names(ours)
    if _SEED.fullmatch(folder.name) or not agents:
        return _home(folder).name
    shown = words(_fields(_fields(ours, "fleet"), "sharing"), "arm")
    return "_vs_".join(agents) + (f"_{shown}" if shown not in ("", "sharing") else "")


def _seed(source: _Source, ours: dict[str, Any]) -> int:
    named = _SEED.fullmatch(source.folder.name)
    in_name = int(named[1]) if named else None
    in_files = (whole(source.record, "seed"), whole(source.summary, "seed"))
    seed = _first(whole(ours, "seed"), in_name, *in_files)
    if seed is None:
        source.notes.say("no file says its seed; it is shown as seed 0")
    return seed or 0


def _terms(solo: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """What makes an arm what it is: of a solo run its terms, of a fleet what its agents see."""
    sharing = _fields(_fields(ours, "fleet"), "sharing")
    named = ("arm", "stream", "experiment")
    return {**sharing, **{name: value for name, value in solo.items() if name not in named}}


def _direction(source: _Source, ours: dict[str, Any]) -> bool | None:
    """Which way is up, from the first agent that says so; published reports do not."""
    folders = _agent_folders(source.folder, _names(ours)) if ours else []
    found = (direction_of(folder, source.notes) for folder in folders)
    return next((higher for higher in found if higher is not None), None)


def _published(record: dict[str, Any]) -> dict[str, Any]:
    """What a published record says of these; its names are others."""
    model = words(record, "model")
    return {"models": [model]} if model else {}


def _read_agents(source: _Source, ours: dict[str, Any]) -> Iterator[Agent]:
    if not ours and _is_solo(source.folder):
        yield _agent(source, "", source.folder, source.summary)
        return
    told = {words(fields, "name"): fields for fields in _list(source.summary, "agents")}
    for folder in _agent_folders(source.folder, _names(ours)):
        summary = read_object(folder / "summary.json", source.notes, needed=bool(ours))
        yield _agent(source, folder.name, folder, {**summary, **told.get(folder.name, {})})


def _agent(source: _Source, name: str, folder: Path, summary: dict[str, Any]) -> Agent:
    generations = tuple(read_generations(folder, source.notes))
    test = _first(number(summary, "test"), number(summary, "test_accuracy"))
    test = _first(test, number(source.summary, "test_accuracy"))
    agent = Agent(name, generations, test, _planned(source, name))
    said = _first(number(summary, "best_val"), number(summary, "best_val_score"))
    if said is not None and said != agent.best_val:
        source.notes.say(
            f"the summary{' of ' + name if name else ''} says best validation score {said:g}, and "
            f"the generations that can be read say {_text(agent.best_val)}; the latter counts"
        )
    return agent


def _planned(source: _Source, name: str) -> int | None:
    """Generations that an agent was to play; the members of a fleet have budgets of their own."""
    ours = _fields(source.record, "configuration")
    members = dict(zip(_names(ours), _list(_fields(ours, "fleet"), "members"), strict=False))
    return _first(
        whole(members.get(name, {}), "generations"),
        whole(ours, "generations"),
        whole(source.record, "iterations"),
        whole(source.summary, "max_generations"),
    )


def _agent_folders(run: Path, order: list[str]) -> list[Path]:
    """The folders of a run's agents: in the order of its record, else by name."""
    below = (path for path in run.iterdir() if path.is_dir() and path.name not in _NO_RUNS_IN)
    found = sorted(path for path in below if generation_folders(path))
    return sorted(found, key=lambda path: order.index(path.name) if path.name in order else -1)


def _names(ours: dict[str, Any]) -> list[str]:
    """The agents of a run of ours, in turn order."""
    try:
        return msgspec.convert(ours.get("agents") or [], list[str])
    except msgspec.ValidationError:
        return []


def _is_solo(folder: Path) -> bool:
    return bool(generation_folders(folder))


def _spent(source: _Source) -> Spent | None:
    return spent_of(source.folder, source.summary, source.notes)


def _fields(fields: dict[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _list(fields: dict[str, Any], name: str) -> Iterable[dict[str, Any]]:
    try:
        return msgspec.convert(fields.get(name) or [], list[dict[str, Any]])
    except msgspec.ValidationError:
        return []


def _first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)


def _text(score: float | None) -> str:
    return "none" if score is None else f"{score:g}"
