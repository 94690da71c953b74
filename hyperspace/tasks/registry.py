"""Finds a domain by what a person wrote: a built-in, an entry point, a file, or a folder.

A plug-in, by entry point or by file, is a ready `Domain` or a factory that is called with the
data folder (or None) and the options of the spec, and returns one.
"""

import hashlib
import importlib
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from os.path import isdir, isfile  # they say no to a name that is too long for a path, too
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import parse_qsl

from hyperspace.python_file import NotInFile, object_in_file
from hyperspace.tasks.base import Domain, DomainDataError, DomainError, UnknownDomain
from hyperspace.tasks.earlier_name import allow_earlier_name
from hyperspace.tasks.validate import check_usable

GROUP = "hyperspace.domains"
CONFIG = "config.toml"  # of a task in three files
Factory = Callable[[Path | None, Mapping[str, str]], Domain]
_ALIKE = 0.7  # of two names, as difflib measures it
_ATTRIBUTES = ("name", "metric", "higher_is_better", "staged_items", "data_sha256", "calls_model")
_METHODS = ("items", "labels", "score", "fitness", "smoke_item", "seed_files")
_MEMBERS = _ATTRIBUTES + _METHODS


class BuiltIn(NamedTuple):
    """A domain that comes with the package.

    Attributes:
        factory: Module and function, joined by a colon; imported when the domain is loaded.
        about: One line.
        needs: What it needs beside the core: an extra, a folder, a toolchain, a model.
    """

    factory: str
    about: str
    needs: str = "no data and no model"

    def __str__(self) -> str:
        return f"{self.about}; needs {self.needs}" if self.needs else self.about


def load(spec: str, *, data: Path | None = None, run_seed: int | None = None) -> Domain:
    """Make the domain that `spec` names, options included (`repo_quality?rows_seed=7`).

    Several names joined by `+` make one domain of them all. Of the data folder each one then gets
    the subfolder of its name, or nothing if there is none. `rows_seed=run` stands for the seed of
    the run, so that a run is told by its spec and its seed.

    Args:
        spec: A name with options.
        data: Folder of the data; None if there is none.
        run_seed: Seed of the run that the domain is for; None if it is for no run.

    Raises:
        UnknownDomain: Nothing goes by that name, or it is not a domain.
        DomainDataError: Its data or an option is missing or malformed.
    """
    if len(named := _parts(spec)) == 1:
        return _usable(_load_one(spec, data, run_seed))
    from hyperspace.tasks.several import SeveralDomains

    parts: list[Domain] = []
    for part in named:
        folder = data and data / part.partition("?")[0].rpartition(":")[2]
        parts.append(_load_one(part, folder if folder and folder.is_dir() else None, run_seed))
    return _usable(SeveralDomains(parts))


def is_built_in(spec: str) -> bool:
    """Return whether all parts of a domain come with this program."""
    return all(part.partition("?")[0] in _BUILT_IN for part in _parts(spec))


def files_sha256(spec: str) -> str | None:
    """Return a hash of the files that a domain is code in; None where there are none, or no more.

    Raises:
        OSError: One cannot be read.
    """
    files = [part.partition("?")[0].rpartition(":")[0] for part in _parts(spec)]
    paths = [Path(file) for file in files if file.endswith(".py")]
    code = [path.read_bytes() for path in paths if path.is_file()]
    if len(code) < len(paths):
        return None
    return hashlib.sha256(b"\0".join(code)).hexdigest() if code else None


def _parts(spec: str) -> list[str]:
    path = spec.partition("?")[0]
    file, _, name = path.rpartition(":")
    # A `+` in the path of a file or folder that exists joins nothing.
    exists = isdir(path) or (file.endswith(".py") and isfile(file) and "+" not in name)
    return [spec] if exists else spec.split("+")


def _usable(domain: Domain) -> Domain:
    try:
        check_usable(domain)
    except DomainError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a person's domain can fail in any way
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise DomainDataError(f"{domain.name} failed when it was looked at: {told}") from error
    return domain


def _load_one(spec: str, data: Path | None, run_seed: int | None) -> Domain:
    name, _, query = spec.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if options.get("rows_seed") == "run":
        if run_seed is None:
            raise DomainDataError(f"{spec}: rows_seed=run is the seed of a run, and this is none")
        options["rows_seed"] = str(run_seed)
    if ".py:" in name:
        return _build(spec, _from_file(name), data, options)
    if name in _BUILT_IN:
        return _factory(_BUILT_IN[name])(data, options)
    if isdir(name) and ("/" in name or (Path(name) / CONFIG).is_file()):
        from hyperspace.tasks.three_files.domain import three_files

        return three_files(Path(name), data, options)
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        there = sorted(names())
        meant = get_close_matches(name, there, n=1, cutoff=_ALIKE)
        told = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(there)};"
        raise UnknownDomain(
            f"no domain is called {name!r}; {told} One of your own is path/to/file.py:NAME, or the "
            f"path of a folder with {CONFIG}"
        )
    return _build(spec, _entry_point(points[0]), data, options)


def names() -> dict[str, str]:
    """Domains that can be loaded by name, built-ins and entry points, each with one line."""
    return {name: str(entry) for name, entry in entries().items()}


def entries() -> dict[str, BuiltIn]:
    """Domains that can be loaded by name; a plug-in says nothing of its needs."""
    points = entry_points(group=GROUP)
    plugged = {point.name: BuiltIn(point.value, f"plug-in {point.value}", "") for point in points}
    return plugged | _BUILT_IN


def _factory(entry: BuiltIn) -> Factory:
    module, _, function = entry.factory.partition(":")
    factory: Factory = getattr(importlib.import_module(module), function)
    return factory


_GENESIS = "the extra genesis (genesis-world, torch)"
_GO2 = "the extra go2 (mujoco)"
_BUILT_IN = {
    "accept": BuiltIn(
        "hyperspace.tasks.accept.domain:make",
        "accept or reject generated abstracts, a stand-in for reviews",
    ),
    "babaisai": BuiltIn(
        "hyperspace.tasks.babaisai.domain:make", "solve puzzles whose rules are blocks on the board"
    ),
    "babyai": BuiltIn(
        "hyperspace.tasks.babyai.domain:make",
        "missions in grid worlds, played step by step",
        needs="the extra babyai (minigrid)",
    ),
    "binpack": BuiltIn("hyperspace.tasks.binpack.domain:make", "policies for packing bins online"),
    "email_validation": BuiltIn(
        "hyperspace.tasks.email_validation.domain:make", "valid or invalid e-mail addresses"
    ),
    "genesis_go2hop": BuiltIn(
        "hyperspace.tasks.go2.domain:genesis_hop",
        "go2_hop in the simulator Genesis",
        needs=_GENESIS,
    ),
    "genesis_go2walkback": BuiltIn(
        "hyperspace.tasks.go2.domain:genesis_walkback",
        "go2_walkback in the simulator Genesis",
        needs=_GENESIS,
    ),
    "genesis_go2walking": BuiltIn(
        "hyperspace.tasks.go2.domain:genesis_walking",
        "go2_walking in the simulator Genesis",
        needs=_GENESIS,
    ),
    "go2_hop": BuiltIn(
        "hyperspace.tasks.go2.domain:hop", "write the reward for a robot that jumps", needs=_GO2
    ),
    "go2_walkback": BuiltIn(
        "hyperspace.tasks.go2.domain:walkback",
        "write the reward for a robot that walks back",
        needs=_GO2,
    ),
    "go2_walking": BuiltIn(
        "hyperspace.tasks.go2.domain:walking", "write the reward for a robot that walks", needs=_GO2
    ),
    "imo_grading": BuiltIn(
        "hyperspace.tasks.imo_grading.domain:make",
        "grade olympiad answers",
        needs="--data with train.csv, val.csv and test.csv, and a model",
    ),
    "imo_proof": BuiltIn(
        "hyperspace.tasks.imo_proof.domain:make",
        "prove olympiad statements",
        needs="--data with imo_proof.csv, a model and a judge model",
    ),
    "knowledge_qa": BuiltIn(
        "hyperspace.tasks.knowledge_qa.domain:make",
        "answer questions from a knowledge base, graded by facts of a rubric",
        needs="--data with knowledge.md, knowledge_qa.csv and rubric.csv, a model and a judge "
        "model",
    ),
    "minihack": BuiltIn(
        "hyperspace.tasks.nethack.domain:minihack",
        "small levels of NetHack, played step by step",
        needs="the extra nethack (balrog-nle, gym, minihack)",
    ),
    "nle": BuiltIn(
        "hyperspace.tasks.nethack.domain:nle",
        "games of NetHack, played step by step",
        needs="the extra nethack (balrog-nle, gym)",
    ),
    "packing": BuiltIn(
        "hyperspace.tasks.packing.domain:make", "circles of any radii in a rectangle"
    ),
    "pairwise": BuiltIn(
        "hyperspace.tasks.pairwise.domain:make",
        "the better of two generated answers, a stand-in",
    ),
    "panel": BuiltIn(
        "hyperspace.tasks.panel.domain:make", "yes or no by many small rules with planted defects"
    ),
    "paper_review": BuiltIn(
        "hyperspace.tasks.paper_review.domain:make",
        "tell whether reviewers accepted a paper",
        needs="--data with paper_review.csv, or train.csv, val.csv and test.csv, and a model",
    ),
    "polyglot": BuiltIn(
        "hyperspace.tasks.polyglot.domain:make",
        "programs in several languages that are right on sealed cases",
        needs="a model; Node for javascript, compilers for c, cpp and java",
    ),
    "repo_policy": BuiltIn(
        "hyperspace.tasks.repo_policy.domain:make",
        "repo_quality decided by a record of bounded numbers",
    ),
    "repo_quality": BuiltIn(
        "hyperspace.tasks.repo_quality.domain:make",
        "accept or reject a repository from five figures",
    ),
    "search_arena": BuiltIn(
        "hyperspace.tasks.search_arena.domain:make",
        "tell which of two answers with search a person preferred",
        needs="--data with search_arena.csv, or train.csv, val.csv and test.csv, and a model",
    ),
    "snake": BuiltIn("hyperspace.tasks.snake.domain:make", "steer a snake, a move at a time"),
    "sortnet": BuiltIn(
        "hyperspace.tasks.sortnet.domain:make", "sorting networks of few comparators"
    ),
    "support": BuiltIn(
        "hyperspace.tasks.support.domain:make", "answers from a page of invented facts"
    ),
    "vx": BuiltIn("hyperspace.tasks.vx.domain:make", "programs for a small vector machine"),
}


def _from_file(name: str) -> object:
    allow_earlier_name()
    try:
        return object_in_file(name, "domain", "_domain_")
    except NotInFile as error:
        raise UnknownDomain(str(error)) from error


def _entry_point(point: EntryPoint) -> object:
    allow_earlier_name()
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a plug-in can fail in any way; that is a usage error
        raise UnknownDomain(
            f"{point.value}, the plug-in {point.name!r}, cannot be imported: "
            f"{type(error).__name__}: {error}"
        ) from error


def _build(spec: str, plug: object, data: Path | None, options: Mapping[str, str]) -> Domain:
    domain = plug
    is_ready = not isinstance(plug, type) and all(hasattr(plug, member) for member in _MEMBERS)
    if callable(plug) and not is_ready:
        try:
            domain = cast("Callable[..., object]", plug)(data, options)
        except DomainError:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a plug-in can fail in any way; that is a usage error
            raise UnknownDomain(
                f"{spec} failed when called with (data, options): {type(error).__name__}: {error}"
            ) from error
    missing = [member for member in _MEMBERS if not hasattr(domain, member)]
    if missing:
        raise UnknownDomain(f"{spec} is not a domain: it lacks {', '.join(missing)}")
    return cast(Domain, domain)
