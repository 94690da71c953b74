"""The paths of its workspace that an agent may change.

A path is permitted when it is plain, an `allow` pattern matches it as it is written, and no `deny`
pattern matches any spelling that a file system or a reader could take for it.
"""

import re
import unicodedata
from functools import lru_cache

import msgspec

from guards.scope.globs import glob

LONGEST_NAME_BYTES = 255
LONGEST_PATH_BYTES = 1024
NOT_PLAIN = "not a plain relative path"
REMEMBERED = 2048  # most paths of a workspace are those of the one before; 2 MiB at most


class EditScope(msgspec.Struct, frozen=True):
    """The paths and globs that an agent may change; deny beats allow.

    In a pattern `*` and `?` stay within one name, `**` crosses folders, and a trailing `/` or
    `/**` means a folder and everything below. Nothing else is special.

    Attributes:
        allow: Patterns of what may change.
        deny: Patterns of what may not, whatever `allow` says.
    """

    allow: tuple[str, ...]
    deny: tuple[str, ...] = ()

    def permits(self, path: str) -> bool:
        """Return whether the path may be created, changed or deleted."""
        return not self.refusal(path)

    def refusal(self, path: str) -> str:
        """Return why a path may not be touched; empty when it may."""
        # Paths that are too long are never remembered, so what is kept is bounded.
        return NOT_PLAIN if _is_overlong(path) else _refusal(self, path)


def is_plain(path: str) -> bool:
    """Return whether a path is relative, stays inside, and reads the same to everyone.

    Not plain: absolute, `..`, `.`, empty names, backslashes, control or invisible characters,
    names that end in a dot or space, forms that Unicode compatibility would rewrite, overlong.
    """
    return bool(path) and not _is_overlong(path) and _has_plain_names(path)


def matches_nothing(pattern: str) -> bool:
    """Return whether no path that is plain can match a pattern: `/etc/*`, `../x`, or nothing."""
    inside = re.sub(r"/(\*\*)?$", "/x", pattern)
    return not is_plain(re.sub(r"\*+|\?", "x", inside.replace("**/", "")))


@lru_cache(maxsize=REMEMBERED)
def fold(path: str) -> str:
    """One spelling for all paths that differ only in case, Unicode form or trailing dots."""
    visible = "".join(c for c in path if unicodedata.category(c) not in ("Cf", "Cc"))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return "/".join(name.rstrip(". ") or name for name in folded.split("/"))


@lru_cache(maxsize=REMEMBERED)
def _refusal(scope: EditScope, path: str) -> str:
    if not is_plain(path):
        return NOT_PLAIN
    if any(glob(fold(pattern)).matches(fold(path)) for pattern in scope.deny):
        return "denied by the edit scope"
    if not any(glob(pattern).matches(path) for pattern in scope.allow):
        return "outside the edit scope"
    return ""


def _is_overlong(path: str) -> bool:
    size = len(path) if path.isascii() else len(path.encode("utf-8", "replace"))
    return size > LONGEST_PATH_BYTES


@lru_cache(maxsize=REMEMBERED)
def _has_plain_names(path: str) -> bool:
    return all(
        name not in ("", ".", "..")
        and "\\" not in name
        and name == name.rstrip(". ")
        and all(unicodedata.category(c)[0] != "C" for c in name)
        and name == unicodedata.normalize("NFKC", name)
        and len(name.encode()) <= LONGEST_NAME_BYTES
        for name in path.split("/")
    )
