"""Extensions of a person's own: a class in a Python file, held to what an extension may do.

It is code of whoever begins the run, and runs in this process. The run keeps a copy of its file,
and has on record where it was edited.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qsl

import msgspec

from guards.scope.edit_scope import is_plain
from guards.scope.regular_files import read_whole
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.files import canonical_json, write_atomically
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.copies import is_known
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Manifest
from hyperspace.python_file import NotInFile, object_in_file
from hyperspace.workspace.workspace import EVALS

MOST_BYTES: Final = 16_000_000  # of a file
MOST_RECORDED: Final = 64_000  # bytes of a part of a manifest
MOST_IN_WORKSPACE: Final = 1_000_000  # bytes of all files in one workspace
_SHIPPED: Final = frozenset(path.name for path in Path(__file__).parent.iterdir() if path.is_dir())
_TAKEN: Final = frozenset(Manifest.__struct_fields__) | _SHIPPED
_FOLDERS: Final = frozenset({"agent", "principal", "strategies", "task", EVALS.partition("/")[0]})


def own_extensions(
    config: RunConfig, folder: RunFolder, *, trust: bool = False
) -> "tuple[OwnExtension, ...]":
    """Load the extensions of a person's own that a run has, in the order of the command line.

    Args:
        config: The run's.
        folder: Its folder, which keeps a copy of each file once it is begun.
        trust: Whether copies that somebody else's run has kept may be imported.

    Raises:
        RunUsageError: One is missing, cannot be imported, or is no extension.
    """
    loaded: list[OwnExtension] = []
    for place, spec in enumerate(config.extensions):
        kept = folder.extensions / f"{place}" / _file(spec).name
        loaded.append(_load(_find(spec, kept, folder, trust=trust), spec, kept))
    names = [each.name for each in loaded]
    for each in loaded:
        if names.count(each.name) > 1:
            raise RunUsageError(
                f"--extension {each.spec}: another extension is called {each.name!r}, too"
            )
    if loaded and folder.extensions.name in config.agents:
        raise RunUsageError(
            f"an agent is called {folder.extensions.name!r}, as the folder that keeps the files of "
            "extensions is; give its model another name"
        )
    return tuple(loaded)


def _file(spec: str) -> Path:
    return Path(spec.partition("?")[0].rpartition(":")[0])


def _find(spec: str, kept: Path, folder: RunFolder, *, trust: bool) -> Path:
    """Return where the file of an extension lies: in its own place, or in the run that kept it."""
    file = _file(spec)
    if file.is_file():
        return file
    if not kept.is_file():
        told = f"--extension {spec}: there is no file {file.absolute()}"
        if folder.record.is_file():
            told += f", and {folder.extensions} has no copy; put one of them back"
        raise RunUsageError(told)
    if not (trust or is_known(folder.root)):
        raise RunUsageError(
            f"--extension {spec}: there is no file {file.absolute()}, and the copy {kept} is of a "
            "run that was not begun by you here; it would run unconfined, so read it and add "
            "--trust"
        )
    return kept


def _load(file: Path, spec: str, kept: Path) -> "OwnExtension":
    path, _, query = spec.partition("?")
    name = path.rpartition(":")[2]
    try:
        kind = object_in_file(f"{file}:{name}", "extension", "_extension_")
    except NotInFile as error:
        raise RunUsageError(f"--extension {spec}: {printable_error(str(error))}") from error
    if not (isinstance(kind, type) and issubclass(kind, Extension)):
        raise RunUsageError(
            f"--extension {spec}: {name} is no subclass of {Extension.__module__}.Extension"
        )
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", kind.name) or kind.name in _TAKEN | _FOLDERS:
        raise RunUsageError(
            f"--extension {spec}: its name {kind.name!r} is taken, or not of lower-case letters, "
            "digits and underscores; set `name` in the class"
        )
    given, has = dict(parse_qsl(query)), ", ".join(kind.Options.__struct_fields__) or "none"
    if others := given.keys() - {*kind.Options.__struct_fields__}:
        raise RunUsageError(f"--extension {spec}: no option {min(others)!r}; its options: {has}")
    try:
        options = msgspec.convert(given, kind.Options, strict=False)
        return OwnExtension(spec, kind(options), read_whole(file, MOST_BYTES), kept)
    except msgspec.ValidationError as error:
        raise RunUsageError(f"--extension {spec}: {error}; its options: {has}") from error
    except Exception as error:  # a person's class can fail in any way
        raise RunUsageError(f"--extension {spec}: {_told(error)}") from error


class OwnExtension(Extension):
    """An extension of a person's own; each answer is checked before the run takes it.

    Args:
        spec: How it was named.
        extension: What was loaded.
        data: The file that it is in.
        kept: Where the run keeps a copy of that.

    Attributes:
        spec: How it was named.
        sha256: Hash of its file.

    Errors: `RunUsageError`, which names it, where it raises, answers another type, or changes what
    is not its own; what was closed before stays as it is.
    """

    def __init__(self, spec: str, extension: Extension, data: bytes, kept: Path) -> None:
        super().__init__(extension.options)
        self.spec = spec
        self.sha256 = sha256(data).hexdigest()
        self._data = data
        self._kept = kept
        self._extension = extension

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Name of its part, which is that of the extension itself."""
        return self._extension.name

    def keep(self) -> None:
        """Keep a copy of its file in the run, as it is now."""
        write_atomically(self._kept, self._data)

    def choose_parent(self, attempt: Attempt, own: Archive, by_rule: int | None) -> int | None:
        """Return the extension's choice, if it is a valid generation."""
        number = self._plain(
            "choose_parent", lambda: self._extension.choose_parent(attempt, own, by_rule)
        )
        if number is None:
            return None
        if type(number) is not int or number not in {entry.generation for entry in own.valid}:
            valid = [entry.generation for entry in own.valid]
            raise self.refusal("choose_parent", f"chose {number!r}, and valid are {valid}")
        return number

    async def make(
        self, attempt: Attempt, visible: VisibleStrategies, chosen: Chosen
    ) -> list[Candidate] | None:
        """Return the candidates that the extension makes, if any."""
        made = await self._await("make", lambda: self._extension.make(attempt, visible, chosen))
        if made is None:
            return None
        candidates = cast("list[Any]", made) if isinstance(made, list) else []
        if not candidates or not all(isinstance(each, Candidate) for each in candidates):
            raise self.refusal("make", f"answered {made!r}, which is no list of candidates")
        return candidates

    async def begin(
        self, attempt: Attempt, candidate: Candidate, visible: VisibleStrategies
    ) -> None:
        """Let the extension change the code of generation 0."""
        await self._await("begin", lambda: self._extension.begin(attempt, candidate, visible))
        code = cast("dict[object, object]", candidate.code)
        if not all(isinstance(each, str) for each in (*code, *code.values())):
            raise self.refusal("begin", "left code that is no map of paths to texts")

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Return the extension's files, if they lie in its own folder."""
        with _Unchanged(self, "workspace_files", candidate):
            files = await self._await(
                "workspace_files",
                lambda: self._extension.workspace_files(attempt, candidate, own),
            )
        if not isinstance(files, Mapping):
            raise self.refusal("workspace_files", f"answered {files!r}, which maps no paths")
        return dict(self._checked(cast("Mapping[object, object]", files)))

    def _checked(self, files: Mapping[object, object]) -> Iterator[tuple[str, bytes]]:
        total = 0
        for path, content in files.items():
            if not (isinstance(path, str) and is_plain(path) and path.startswith(f"{self.name}/")):
                raise self.refusal(
                    "workspace_files", f"gave {path!r}; its files lie below {self.name}/"
                )
            data = content.encode() if isinstance(content, str) else content
            if not isinstance(data, bytes):
                raise self.refusal("workspace_files", f"gave no text as {path}")
            total += len(data)
            if total > MOST_IN_WORKSPACE:
                raise self.refusal("workspace_files", f"gave more than {MOST_IN_WORKSPACE:,} bytes")
            yield path, data

    async def judge(self, attempt: Attempt, candidate: Candidate) -> bool:
        """Let the extension judge a candidate."""
        judged = await self._await("judge", lambda: self._extension.judge(attempt, candidate))
        if not isinstance(judged, bool):
            raise self.refusal("judge", f"answered {judged!r}, which is neither True nor False")
        return judged

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Let the extension add its part of the record."""
        with _Unchanged(self, "before_close", candidate):
            await self._await(
                "before_close", lambda: self._extension.before_close(attempt, candidate, own)
            )
        fitness = cast("object", candidate.fitness)
        if fitness is not None and not (isinstance(fitness, int | float) and 0 <= fitness <= 1):
            raise self.refusal("before_close", f"set fitness to {fitness!r}; it is from 0 to 1")
        if self.name not in candidate.parts:
            return
        try:
            data = canonical_json(candidate.parts[self.name])
        except (TypeError, ValueError, RecursionError) as error:
            raise self.refusal("before_close", f"recorded no JSON: {error}") from error
        if len(data) > MOST_RECORDED:
            raise self.refusal("before_close", f"recorded more than {MOST_RECORDED:,} bytes")
        candidate.parts[self.name] = msgspec.json.decode(data)

    def metadata(self, manifest: Manifest) -> dict[str, object]:
        """Return its part of the record, as it was recorded."""
        part = manifest.parts.get(self.name)
        return {} if part is None else {self.name: part}

    async def _await(self, hook: str, call: Callable[[], object]) -> Any:
        """Return what a hook answers, which may be anything, and it a plain function."""
        try:
            answer = call()
            return await answer if inspect.isawaitable(answer) else answer
        except RunError:  # a model is down, or the budget is spent
            raise
        except Exception as error:
            raise self.refusal(hook, f"raised {_told(error)}") from error

    def _plain(self, hook: str, call: Callable[[], object]) -> Any:
        try:
            return call()
        except Exception as error:
            raise self.refusal(hook, f"raised {_told(error)}") from error

    def refusal(self, hook: str, what: str) -> RunUsageError:
        """Return what is raised where one of its methods does what it may not."""
        return RunUsageError(f"the extension {self.spec}: {hook} {printable_error(what)}")


class _Unchanged:
    """Checks that a hook left of a candidate what is not its own."""

    def __init__(self, extension: OwnExtension, hook: str, candidate: Candidate) -> None:
        self._extension = extension
        self._hook = hook
        self._candidate = candidate
        self._before = self._state()

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: object, *_error: object) -> None:
        if kind is None and (after := self._state()) != self._before:
            changed = sorted(name for name in after if after[name] != self._before.get(name))
            lost = sorted(self._before.keys() - after.keys())
            raise self._extension.refusal(
                self._hook, f"changed {', '.join([*changed, *lost])}, which is not its own"
            )

    def _state(self) -> dict[str, bytes]:
        candidate, name = self._candidate, self._extension.name
        parts = {key: value for key, value in candidate.parts.items() if key != name}
        state = vars(candidate) | {"parts": parts}
        return {key: canonical_json(value) for key, value in state.items() if key != "fitness"}


def _told(error: BaseException) -> str:
    line = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("_extension_"):
            line = f" (line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{line}"
