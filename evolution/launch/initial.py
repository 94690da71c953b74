"""Code that a person gives agents to start from (`--initial DIR`)."""

from pathlib import Path

from evolution.errors import RunUsageError
from evolution.files import canonical_json, sha256_hex, text_hashes

_FILES = ("task_agent.py", "meta_agent.py")


def read_initial(folder: Path) -> dict[str, str]:
    """Read the editable files of a folder; those that are absent come from the seed.

    Raises:
        RunUsageError: The folder does not exist, holds none of them, or one is no UTF-8 text.
    """
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise RunUsageError(f"--initial {folder} {what}; name one with {' or '.join(_FILES)}")
    found = {name: _read(folder / name) for name in _FILES if (folder / name).is_file()}
    if not found:
        raise RunUsageError(f"--initial {folder} holds neither {_FILES[0]} nor {_FILES[1]}")
    return found


def hash_of(code: dict[str, str]) -> str:
    """One hash for a set of files."""
    return sha256_hex(canonical_json(text_hashes(code)))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise RunUsageError(f"{path} is no UTF-8 text: {error}") from error
