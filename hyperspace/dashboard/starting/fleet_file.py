"""The file of a fleet that a page asks for: kept in the results folder, for who starts it again."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.dashboard.errors import NotDone
from hyperspace.dashboard.starting.request import RunRequest
from hyperspace.kernel.files import write_atomically

FOLDER: Final = "fleets"  # in the results folder


def fleet_text(request: RunRequest) -> str:
    """Return the file of a fleet (docs/reference/fleets.md); of ASCII, as the request was checked.

    A JSON string of these characters is one of TOML, too.
    """
    lines = [
        f"name = {json.dumps(request.name)}",
        f"domain = {json.dumps(request.domain)}",
        f"generations = {request.generations}",
    ]
    for model in request.models:
        lines += ["", "[[agents]]", f"model = {json.dumps(model)}"]
    return "\n".join(lines) + "\n"


@contextmanager
def kept_fleet(request: RunRequest, results: Path) -> Generator[Path]:
    """Keep the file of a fleet while the context lasts, and after it where it does not fail.

    Raises:
        NotDone: Another fleet is kept under this name, or a link stands in the way.
    """
    file = results / FOLDER / f"{request.name}.toml"
    if request.command != "fleet":
        yield file
        return
    if file.parent.is_symlink() or file.is_symlink():
        raise NotDone(f"{file} has a link in its path, and links are not followed; remove it")
    text = fleet_text(request).encode()
    is_new = not file.exists()
    if is_new:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, text)
    else:
        try:
            content = read_whole(file)
        except Unreadable as error:
            raise NotDone(f"{file} {error}") from error
        if content != text:
            raise NotDone(f"{file} is of another fleet; choose another name")
    try:
        yield file
    except NotDone:
        if is_new:
            file.unlink(missing_ok=True)
        raise
