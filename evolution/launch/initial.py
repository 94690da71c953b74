"""Code that agents start from: the seed, and what a person gives (`--initial DIR`)."""

from pathlib import Path

from agents.workspace.seed_code import diagnosis_files, runtime_files, seed_files, selection_files
from domains.base import Domain
from evolution.errors import RunUsageError
from evolution.files import canonical_json, sha256_hex, text_hashes
from evolution.selection.named import EVOLVABLE
from evolution.state.options.solo import SoloTerms

_FILES = ("task_agent.py", "meta_agent.py")


def seed_code(
    domain: Domain, initial: dict[str, str], solo: SoloTerms | None = None
) -> dict[str, str]:
    """Code of generation 0, path to text: ours, replaced by the domain's, then by the person's.

    An agent that plays alone may edit all that it consists of, so the runtime belongs to it.
    """
    ours = seed_files() if solo is None else {**runtime_files(), **seed_files(solo.seed_agent)}
    if solo is not None and solo.diagnosis:
        ours = ours | diagnosis_files()
    if solo is not None and solo.selection == EVOLVABLE:
        ours = ours | selection_files()
    seed = {**ours, **domain.seed_files()}
    return {path: data.decode() for path, data in seed.items()} | initial


def read_initial(folder: Path) -> dict[str, str]:
    """Read the editable files of a folder; those that are absent come from the seed.

    Raises:
        RunUsageError: The folder does not exist, holds none of them, or one is no UTF-8 text.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise RunUsageError(f"--initial {folder} {what}; name one with {' or '.join(_FILES)}")
    code: dict[str, str] = {}
    for path in (folder / name for name in _FILES if (folder / name).is_file()):
        try:
            code[path.name] = path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise RunUsageError(f"{path} is no UTF-8 text: {error}") from error
    if not code:
        raise RunUsageError(f"--initial {folder} holds neither {_FILES[0]} nor {_FILES[1]}")
    return code


def hash_of(code: dict[str, str]) -> str:
    """One hash for a set of files."""
    return sha256_hex(canonical_json(text_hashes(code)))
