"""Keys and addresses, from the environment or a file `.env` in the working directory.

Only variables of our providers are taken from the file, and nothing of it gets into the
environment, so that no child process inherits a key from it.
"""

import os
import re
from pathlib import Path
from typing import Final

from agents.models.base import AuthFailed
from agents.models.providers import PROVIDERS, VARIABLES

_FILE_LIMIT_BYTES: Final = 1_000_000
_LINE: Final = re.compile(
    r"""\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*
    (?:'(?P<single>[^']*)'|"(?P<double>[^"\\]*)"|(?P<bare>[^\s'"\#]*))
    (?:\s+\#.*)?\s*""",
    re.VERBOSE | re.ASCII,
)


def settings(folder: Path | None = None) -> dict[str, str]:
    """The variables of our providers; the environment goes before the file.

    An address from the file is asked with a key from the file only: a folder that somebody else
    has made must not send the key of our environment to an address of theirs.

    Args:
        folder: Where `.env` is looked for; the working directory if None.

    Raises:
        AuthFailed: The file cannot be read, or a line of it makes no sense.
    """
    file = read_env_file((folder or Path()) / ".env")
    environment = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
    for provider in PROVIDERS:
        if provider.url_variable in file and provider.url_variable not in environment:
            for key in provider.key_variables:
                environment.pop(key, None)
    return file | environment


def read_env_file(path: Path) -> dict[str, str]:
    """Our providers' variables in a file of `NAME=value` lines; none if there is no file.

    Raises:
        AuthFailed: It cannot be read, or a line that names one of the variables makes no sense.
            The line is not shown: it may hold a key.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_FILE_LIMIT_BYTES + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise AuthFailed(f"{path} cannot be read: {reason}") from None
    if len(content) > _FILE_LIMIT_BYTES:
        raise AuthFailed(f"{path} is larger than {_FILE_LIMIT_BYTES} bytes: no file of keys")
    return _parse(text, path)


def _parse(text: str, path: Path) -> dict[str, str]:
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not any(name in line for name in VARIABLES):
            continue
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise AuthFailed(
                f"{path}, line {number} makes no sense; write NAME=value, in quotes if the value "
                "holds spaces (the line is not shown, it may hold a key)"
            )
        if parts["name"] in VARIABLES:
            variables[parts["name"]] = parts["single"] or parts["double"] or parts["bare"] or ""
    return variables
