"""The code that a run starts from: the seed, a person's folder, another run, patches.

They add up in this order; last, one part may be put back to the seed. The result is kept in the
run's own folder, so that going on with it needs none of what it was made from.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import canonical_json, files_below, sha256_hex, text_hashes, write_tree
from hyperspace.kernel.selection.named import EVOLVABLE
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import REPO
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.launch.address import read_address
from hyperspace.launch.patches import PatchRefused, apply_patch
from hyperspace.launch.trust import admit_code
from hyperspace.options.start import Part, Start
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.documented import description_of
from hyperspace.workspace.seed_agent import SHOWN, read_seed_agent
from hyperspace.workspace.seed_code import (
    META_AGENT,
    diagnosis_files,
    runtime_files,
    seed_files,
    selection_files,
)
from hyperspace.workspace.workspace import README, TASK

Refusal = Callable[[str], str]
FILES: Final[dict[Part, str]] = {"task": "task_agent.py", "meta": "meta_agent.py"}
_SUFFIXES: Final = (".diff", ".patch")


def seed_code(domain: Domain, initial: dict[str, str], config: RunConfig) -> dict[str, str]:
    """Code of generation 0, path to text: ours, replaced by the domain's, then by the person's.

    An agent that plays alone may edit all that it consists of, so the runtime belongs to it. The
    solvers of an arena are told what to do in a file, as workers of the levels are.
    """
    solo = config.solo
    learns = not any(config.edit_scope(agent).refusal(META_AGENT) for agent in config.agents)
    runtime = {} if solo is None else runtime_files(needs=config.needs)
    ours = {**runtime, **seed_files(config.seed_agent, learns=learns)}
    if config.arena is not None or (solo is not None and (solo.diagnosis or solo.has_worker)):
        ours = ours | diagnosis_files()
    if solo is not None and solo.selection == EVOLVABLE:
        ours = ours | selection_files()
    seed = {**ours, **domain.seed_files()}
    return {path: data.decode() for path, data in seed.items()} | initial


def runtime_of(folder: RunFolder, marks: RunMarks, domain: Domain) -> dict[str, bytes]:
    """Files that every workspace of a run holds and no agent may change, path to content.

    They are those that the run began with: another version of ours changes nothing of it.

    Raises:
        RunDamaged: The run began with others, and these are missing or were changed.
    """
    config = marks.config
    ours = runtime_files(needs=config.needs) if config.solo is None else {}
    if read_seed_agent(config.seed_agent).name == SHOWN:
        ours |= {f"{TASK}/{README}": description_of(domain).encode()}
    first = next(marks.closings(config.agents[0]), None)
    began_with = {path: sha256_hex(data) for path, data in ours.items()}
    if first is None or first.beside_code == began_with:
        return ours
    return {path: folder.read_closed(first, f"{REPO}{path}") for path in first.beside_code}


def starting_code(
    start: Start,
    initial: Path | None,
    seed: dict[str, str],
    refusal: Refusal,
    *,
    trust: bool = False,
) -> dict[str, str]:
    """Return code that replaces or adds to the seed's, path to text; empty where nothing differs.

    Args:
        start: What to start from beside `initial`.
        initial: A person's folder with agents' code.
        seed: What agents would start from otherwise.
        refusal: Says why a path may not be replaced; empty where every agent may edit it.
        trust: Whether a run that the code comes from may be somebody else's.

    Raises:
        ForeignRun: It is, and it may not.
        RunUsageError: Something is missing, does not fit, or is outside of the scope.
    """
    code = dict(seed)
    code |= {} if initial is None else _read_initial(initial)
    code |= {} if start.run is None else _code_of(start.run, trust=trust)
    for path in _patch_files(start.patches):
        try:
            code = apply_patch(code, read_whole(path).decode("utf-8-sig"), refusal)
        except (PatchRefused, Unreadable, UnicodeDecodeError) as error:
            raise RunUsageError(f"--start-from {path} cannot be applied: {error}") from error
    if start.reset is not None:
        code[FILES[start.reset]] = seed[FILES[start.reset]]
    changed = {path: text for path, text in code.items() if seed.get(path) != text}
    for path in changed:
        if why := refusal(path):
            raise RunUsageError(f"agents cannot start with {path} of their own: {why}")
    return changed


def keep_start(folder: RunFolder, code: dict[str, str]) -> None:
    """Write the code into the run's folder, once."""
    if code and not folder.start.exists():
        beside = folder.start.with_name(f".{folder.start.name}")
        write_tree(beside, {path: text.encode() for path, text in code.items()})
        beside.rename(folder.start)


def kept_start(folder: RunFolder) -> dict[str, str] | None:
    """The code that was kept; None if none was.

    Raises:
        RunUsageError: It is not what the run was started with.
    """
    if not folder.start.is_dir():
        return None
    code = {path: (folder.start / path).read_bytes() for path in files_below(folder.start)}
    config = read_record_of(folder.root).configuration
    try:
        texts = {path: data.decode() for path, data in code.items()}
    except UnicodeDecodeError:
        texts = {}
    if len(texts) < len(code) or code_sha256(texts) != config.initial_sha256:
        raise RunUsageError(
            f"{folder.start} is not the code that the run was started with: it was changed, or "
            "added to; restore it from a copy or an export of the run"
        )
    return texts


def code_sha256(code: Mapping[str, str]) -> str | None:
    """Return the hash of code, path to text; None where there is none."""
    return sha256_hex(canonical_json(text_hashes(code))) if code else None


def _read_initial(folder: Path) -> dict[str, str]:
    """Read the editable files of a folder; those that are absent come from the seed.

    Raises:
        RunUsageError: The folder does not exist, holds none of them, or one is no UTF-8 text.
    """
    names = FILES.values()
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise RunUsageError(f"--initial {folder} {what}; name one with {' or '.join(names)}")
    code: dict[str, str] = {}
    for path in (folder / name for name in names if (folder / name).is_file()):
        try:
            code[path.name] = read_whole(path).decode("utf-8-sig")
        except Unreadable as error:
            raise RunUsageError(f"{path} {error}") from error
        except UnicodeDecodeError as error:
            raise RunUsageError(f"{path} is no UTF-8 text: {error}") from error
    if not code:
        raise RunUsageError(f"--initial {folder} holds neither {' nor '.join(names)}")
    return code


def _patch_files(given: Sequence[Path]) -> list[Path]:
    paths: list[Path] = []
    for path in given:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.suffix in _SUFFIXES)
            if not inside:
                raise RunUsageError(f"--start-from {path} holds no *.diff and no *.patch")
            paths += inside
        elif path.is_file():
            paths.append(path.resolve())  # its name is the person's word, also where it is a link
        else:
            raise RunUsageError(f"--start-from {path} is neither a file nor a folder")
    return paths


def _code_of(spec: str, *, trust: bool) -> dict[str, str]:
    named = read_address(spec, "--from-run")
    admit_code(named.run, trust=trust)
    config = read_record_of(named.run).configuration
    with reading(RunFolder(named.run), config) as marks:
        agent = named.agent_of(config)
        return marks.code(agent, named.generation_of(marks, agent))
