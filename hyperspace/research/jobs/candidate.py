"""A repository with a diff applied, if the diff applies and passes the gates.

The gates are about what a diff touches; what its code does is bounded by the job's sandbox.
"""

import re
from collections.abc import Mapping, Set
from typing import Final

from guards.scope.edit_scope import NOT_PLAIN, EditScope
from hyperspace.launch.patches import PatchRefused, apply_patch, file_as_folder, parse_patch
from hyperspace.research.environments.repository import Environment, texts_of
from hyperspace.research.errors import DiffRefused

MOST_DIFF_CHARACTERS: Final = 200_000
MOST_FILE_BYTES: Final = 1024**2
MOST_FILES: Final = 64
_MODE: Final = re.compile(r"^(?:new file mode|new mode|old mode|deleted file mode) (\d{6})$", re.M)
_PLAIN_MODES: Final = frozenset({"100644", "100755"})


def apply_diff(
    environment: Environment, diff: str, base: Mapping[str, bytes] | None = None
) -> dict[str, bytes]:
    """Apply a diff to an environment's repository.

    Args:
        environment: Says what a diff may touch.
        diff: In unified form.
        base: The repository that it changes; None for the environment's own.

    Returns:
        All files of the repository afterwards, path to content.

    Raises:
        DiffRefused: It does not apply, changes nothing, or touches what no diff may touch.
    """
    if len(diff) > MOST_DIFF_CHARACTERS:
        raise DiffRefused(
            "size", f"the diff has more than {MOST_DIFF_CHARACTERS:,} characters; change less"
        )
    if strange := sorted(set(_MODE.findall(diff)) - _PLAIN_MODES):
        raise DiffRefused(
            "links", f"file mode {strange[0]}: links and submodules are not taken, only files"
        )
    files = environment.files if base is None else base
    before = texts_of(files)
    try:
        _check_paths(environment, files.keys() - before, [p.path for p in parse_patch(diff)])
        after = apply_patch(before, diff, environment.scope.refusal)
    except PatchRefused as error:
        raise DiffRefused("apply", f"the diff does not apply: {error}") from error
    if after == before:
        raise DiffRefused("apply", "the diff changes nothing")
    others = {path: data for path, data in files.items() if path not in before}
    return _bounded(environment, others, before, after)


def _check_paths(environment: Environment, no_text: Set[str], paths: list[str]) -> None:
    if len(paths) > MOST_FILES:
        raise DiffRefused("size", f"the diff touches {len(paths)} files; at most {MOST_FILES}")
    table = environment.description.table
    left = EditScope(("**",), tuple(table.job.artefacts))
    for path in paths:
        if why := environment.scope.refusal(path):
            if why == NOT_PLAIN:
                raise DiffRefused("types", f"{path[:200]!r}: {why}")
            raise DiffRefused(
                "frozen",
                f"{path} is frozen, and so is {', '.join(environment.frozen)}; leave it as it is",
            )
        if left.refusal(path):
            raise DiffRefused(
                "frozen", f"{path} is what the job leaves; a diff may not bring it along"
            )
        if path in no_text:
            raise DiffRefused("types", f"{path} is no text, and stays as it is")


def _bounded(
    environment: Environment,
    others: Mapping[str, bytes],
    before: Mapping[str, str],
    after: Mapping[str, str],
) -> dict[str, bytes]:
    """Return the repository's files, if what changed is text of a bounded size."""
    files = dict(others)
    for path, text in after.items():
        if "\0" in text:
            raise DiffRefused("types", f"{path} would hold NUL characters, which text has none of")
        try:
            files[path] = data = text.encode()
        except UnicodeEncodeError:
            raise DiffRefused("types", f"{path} would hold what UTF-8 cannot carry") from None
        if text != before.get(path) and len(data) > MOST_FILE_BYTES:
            raise DiffRefused(
                "size", f"{path} would have {len(data):,} bytes; at most {MOST_FILE_BYTES:,}"
            )
    if why := file_as_folder(files.keys()):
        raise DiffRefused("types", why)
    room = environment.description.table.budget.disk_mb * 1024**2
    if (size := sum(map(len, files.values()))) > room:
        raise DiffRefused("size", f"the repository would have {size:,} bytes; at most {room:,}")
    return files
