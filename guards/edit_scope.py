"""Which paths of its workspace an agent may change.

A path is permitted when it is plain, an `allow` pattern matches it as it is written, and no `deny`
pattern matches any spelling that a file system or a reader could take for it.
"""

import unicodedata

import msgspec

from guards.globs import glob

LONGEST_NAME_BYTES = 255
LONGEST_PATH_BYTES = 1024


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
        """Tell whether the path may be created, changed or deleted."""
        return not self.refusal(path)

    def refusal(self, path: str) -> str:
        """Say why a path may not be touched; empty when it may."""
        if not is_plain(path):
            return "not a plain relative path"
        if any(glob(fold(pattern)).matches(fold(path)) for pattern in self.deny):
            return "denied by the edit scope"
        if not any(glob(pattern).matches(path) for pattern in self.allow):
            return "outside the edit scope"
        return ""


def is_plain(path: str) -> bool:
    """Tell whether a path is relative, stays inside, and reads the same to everyone.

    Not plain: absolute, `..`, `.`, empty names, backslashes, control or invisible characters,
    names that end in a dot or space, forms that Unicode compatibility would rewrite, overlong.
    """
    if not path or len(path.encode("utf-8", "replace")) > LONGEST_PATH_BYTES:
        return False
    return all(_is_plain_name(name) for name in path.split("/"))


def fold(path: str) -> str:
    """One spelling for all paths that differ only in case, Unicode form or trailing dots."""
    visible = "".join(c for c in path if unicodedata.category(c) not in ("Cf", "Cc"))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return "/".join(name.rstrip(". ") or name for name in folded.split("/"))


def _is_plain_name(name: str) -> bool:
    return (
        name not in ("", ".", "..")
        and "\\" not in name
        and name == name.rstrip(". ")
        and all(unicodedata.category(c)[0] != "C" for c in name)
        and name == unicodedata.normalize("NFKC", name)
        and len(name.encode()) <= LONGEST_NAME_BYTES
    )
