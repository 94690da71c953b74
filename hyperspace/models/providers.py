"""Which providers there are, how their models are named, and where their keys come from.

An OpenAI-compatible provider is one line of `PROVIDERS`; a program of its own may `register` one
(docs/examples/provider.py).
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from guards.scope.regular_files import Unreadable, read_given
from hyperspace.models.base import AuthFailed, UnknownModel

Protocol = Literal["openai", "openai-responses", "anthropic", "fireworks"]
NO_KEY: Final = "none"
_FILE_LIMIT_BYTES: Final = 1_000_000
_LINE: Final = re.compile(
    r"""\s*(?:export\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*
    (?:'(?P<single>[^']*)'|"(?P<double>[^"\\]*)"|(?P<bare>[^\s'"\#]*))
    (?:\s+\#.*)?\s*""",
    re.VERBOSE | re.ASCII,
)


class Provider(msgspec.Struct, frozen=True):
    """A place that serves models.

    Attributes:
        id: Its name.
        protocol: What it speaks, and so which SDK asks it.
        names: Pattern of the names that lead here; group `model` is what it is asked for.
        shown: The names, as a person writes them.
        url: Its address, unless a variable says otherwise.
        url_variable: Variable with another address; the one that its SDK reads, where it has one.
        key_variables: Variables that may hold the key, best first.
        key_needed: Whether nothing works without a key.
        returns_reasoning: Whether it wants reasoning text back with calls of tools.
    """

    id: str
    protocol: Protocol
    names: str
    shown: str
    url: str
    url_variable: str
    key_variables: tuple[str, ...]
    key_needed: bool = True
    returns_reasoning: bool = False

    def base_url(self, settings: Mapping[str, str]) -> str:
        """The address in use.

        Raises:
            UnknownModel: It holds more than an address; it is not shown, that may be a secret.
        """
        url = settings.get(self.url_variable) or self.url
        if "@" in url or "?" in url:
            raise UnknownModel(
                f"{self.url_variable} holds a user, a password or a query; write only the address "
                "there, and the key into " + self.key_variables[0]
            )
        return url.rstrip("/")

    def key_variable(self, settings: Mapping[str, str]) -> str | None:
        """The variable that holds the key; None if none does."""
        return next((name for name in self.key_variables if settings.get(name)), None)


def hosted(
    name: str,
    url: str,
    *more_keys: str,
    key_needed: bool = True,
    returns_reasoning: bool = False,
) -> Provider:
    """Describe an OpenAI-compatible provider whose models are `name/MODEL`.

    Its key is in `NAME_API_KEY`, and another address than `url` in `NAME_BASE_URL`; what no
    variable's name can hold is an underscore there.
    """
    variable = re.sub(r"\W", "_", name).upper()
    return Provider(
        name,
        "openai",
        rf"{name}/(?P<model>.+)",
        f"{name}/MODEL",
        url,
        f"{variable}_BASE_URL",
        (f"{variable}_API_KEY", *more_keys),
        key_needed,
        returns_reasoning,
    )


ANTHROPIC: Final = Provider(
    "anthropic",
    "anthropic",
    r"(?P<model>claude-.+)",
    "claude-*",
    "https://api.anthropic.com",
    "ANTHROPIC_BASE_URL",
    ("ANTHROPIC_API_KEY",),
)
_RESPONSES_ONLY: Final = (
    r"(?:gpt-|o\d)[\w.-]*-(?:pro|codex|cyber|rosalind|deep-research)(?:-[\w.-]+)?"
    r"|gpt-(?:daybreak|rosalind)-[\w.-]+|codex-[\w.-]+"
)
"""OpenAI's models that chat completions do not answer for.

Sources: `openai/types/shared/responses_model.py` of the SDK, and the pages of OpenAI's models that
name `v1/responses` alone (`codex-mini-latest`, `gpt-5.2-pro`). `computer-use-preview` is left out:
it works with a tool of its own only.
"""
OPENAI_RESPONSES: Final = Provider(
    "openai-responses",
    "openai-responses",
    rf"(?P<model>{_RESPONSES_ONLY})",
    "*-pro, *-codex, ...",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ("OPENAI_API_KEY",),
)
OPENAI: Final = Provider(
    "openai",
    "openai",
    rf"(?P<model>(?!(?:{_RESPONSES_ONLY})\Z)(gpt-|chatgpt-|ft:gpt-|o\d).*)",
    "gpt-*, o1, o3, ...",
    "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
    ("OPENAI_API_KEY",),
)
FIREWORKS: Final = Provider(
    "fireworks",
    "fireworks",
    r"(?P<model>accounts/.+)",
    "accounts/fireworks/...",
    "https://api.fireworks.ai/inference",
    "FIREWORKS_BASE_URL",
    ("FIREWORKS_API_KEY",),
    returns_reasoning=True,
)
PROVIDERS: Final = [
    ANTHROPIC,
    OPENAI,
    OPENAI_RESPONSES,
    FIREWORKS,
    hosted("openrouter", "https://openrouter.ai/api/v1"),
    hosted(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GOOGLE_API_KEY",
    ),
    hosted("deepseek", "https://api.deepseek.com/v1", returns_reasoning=True),
    hosted("ollama", "http://127.0.0.1:11434/v1", key_needed=False),
    hosted("vllm", "http://127.0.0.1:8000/v1", key_needed=False),
]
BY_PROTOCOL: Final[Mapping[str, Provider]] = {
    provider.protocol: provider for provider in (OPENAI, OPENAI_RESPONSES, ANTHROPIC, FIREWORKS)
}
VARIABLES: Final = {
    name for provider in PROVIDERS for name in (provider.url_variable, *provider.key_variables)
}


def register(provider: Provider) -> None:
    """Add a provider; its variables are read from the environment and `.env` from now on.

    Raises:
        ValueError: Its id is taken, or one of its names leads to a provider that there is.
    """
    if any(provider.id == other.id for other in PROVIDERS) or find_provider(provider.shown):
        raise ValueError(f"models called {provider.shown} have a provider already")
    PROVIDERS.append(provider)
    VARIABLES.update((provider.url_variable, *provider.key_variables))


def find_provider(model: str) -> tuple[Provider, str] | None:
    """The provider of a model (without options), and what it knows the model by."""
    for provider in PROVIDERS:
        if match := re.fullmatch(provider.names, model):
            return provider, match["model"]
    return None


def key_for(provider: Provider, url: str, settings: Mapping[str, str], *, needed: bool) -> str:
    """The key to send to an address; `NO_KEY` where there is none or it could be read on the way.

    Raises:
        AuthFailed: There is none, and one is needed; or it is none by its characters.
    """
    variable = provider.key_variable(settings)
    if variable is not None:
        return _sendable(settings[variable], variable) if is_private(url) else NO_KEY
    if not needed:
        return NO_KEY
    raise AuthFailed(
        f"models of {provider.id} ({provider.shown}) need a key; set "
        f"{' or '.join(provider.key_variables)} in the environment or in a file .env here"
    )


def _sendable(key: str, variable: str) -> str:
    """A key without the white space around it; one that no header can hold is not even tried."""
    stripped = key.strip()
    if not re.fullmatch(r"[!#-\[\]-~]+", stripped):  # printable, no space, quote or backslash
        raise AuthFailed(f"{variable} holds characters that no key has; set it again")
    return stripped


def is_private(url: str) -> bool:
    """True if nobody else can read on the way what is sent there."""
    return urlsplit(url).scheme == "https" or is_local(url)


def is_local(url: str) -> bool:
    """True for an address of this machine."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def settings(folder: Path | None = None) -> dict[str, str]:
    """The variables of our providers, from the environment or else from a file `.env`.

    Nothing else is taken from the file, and nothing of it gets into the environment, so that no
    child process inherits a key from it.

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
        text = read_given(path, _FILE_LIMIT_BYTES).decode("utf-8-sig")
    except Unreadable as reason:
        if reason.is_missing:
            return {}
        raise AuthFailed(f"{path} {reason}: no file of keys") from None
    except UnicodeDecodeError:
        raise AuthFailed(f"{path} cannot be read: it is no UTF-8 text") from None
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
