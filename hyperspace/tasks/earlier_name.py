"""The package's earlier name, `domains`, for tasks of people's own that were written with it.

A run keeps a copy of its task's file and is resumed and replayed with that copy, so the name that a
file imports is good for as long as the run is.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Final

_EARLIER: Final = "domains"
_PRESENT: Final = "hyperspace.tasks"


class _Finder:
    """Finds modules under the earlier name, unless another package goes by it."""

    @staticmethod
    def find_spec(
        fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module lies; None if it is not one of ours under the earlier name."""
        head, *rest = fullname.split(".")
        if head != _EARLIER:
            return None
        if rest:
            is_ours = sys.modules.get(_EARLIER) is sys.modules.get(_PRESENT)
        else:
            other = PathFinder.find_spec(_EARLIER)
            # An old checkout may have left a folder that holds nothing but caches.
            is_ours = other is None or other.origin is None
        return ModuleSpec(fullname, _Loader(rest)) if is_ours else None


class _Loader(Loader):
    """Gives the one module that there is, unchanged, under a second name."""

    def __init__(self, rest: Sequence[str]) -> None:
        self._name = ".".join((_PRESENT, *rest))
        self._own_spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module.

        Raises:
            ModuleNotFoundError: There is none of this name.
        """
        module = import_module(self._name)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give it back the place in which it was found; it has been executed."""
        module.__spec__ = self._own_spec


def allow_earlier_name() -> None:
    """Let what is imported from now on find this package under its earlier name, too."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
