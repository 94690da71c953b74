"""Objects of a person's own Python file, `FILE.py:NAME`: it runs in this process, unconfined."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


class NotInFile(Exception):
    """A file has no such object, or cannot be imported; says why."""


def object_in_file(spec: str, what: str, prefix: str) -> object:
    """Import a file and return the object that is named in it.

    Args:
        spec: `FILE.py:NAME`.
        what: What the object is, for people.
        prefix: How the module's name begins, before the file's.

    Raises:
        NotInFile: There is no such file or object, or importing it failed.
    """
    file, _, attribute = spec.rpartition(":")
    path = Path(file)
    if not path.is_file():
        where = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise NotInFile(f"there is no file {path}{where} to take the {what} {attribute!r} from")
    module = _import_file(path, f"{prefix}{path.stem}")
    if not hasattr(module, attribute):
        public = ", ".join(key for key in vars(module) if not key.startswith("_")) or "nothing"
        raise NotInFile(f"{path} defines no {attribute!r}; it defines {public}")
    return getattr(module, attribute)


def _import_file(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: S101 - holds for every .py path
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a person's file can fail in any way: a usage error
        raise NotInFile(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
