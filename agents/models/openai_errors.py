"""The SDK's errors become ours, by what went wrong."""

from collections.abc import Generator
from contextlib import contextmanager

import httpx2
import openai

from agents.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    ModelError,
    ProviderDown,
    RateLimited,
    UnknownModel,
)

_LONGEST_QUOTE = 300
_OVERFLOW_SIGNS = ("context_length", "context length", "maximum context", "too many tokens")


@contextmanager
def translated(model: str, url: str, key: str) -> Generator[None]:
    """Raise a `ModelError` for whatever the SDK or its transport raises inside.

    Args:
        model: The model that is asked, for messages.
        url: The endpoint, for messages.
        key: The API key, which must not appear in messages.
    """
    try:
        yield
    except openai.APIStatusError as error:
        raise _by_status(error, f"{model} at {url}", key) from None
    except (openai.APITimeoutError, httpx2.TimeoutException):
        raise ProviderDown(f"{model} at {url} did not answer in time") from None
    except (openai.APIConnectionError, httpx2.TransportError) as error:
        raise _unconnected(error.__cause__ or error, url, key) from None
    except (openai.APIError, ValueError) as error:  # ValueError: a body that is not JSON
        raise ProviderDown(f"{model} at {url} sent no answer: {_quoted(error, key)}") from None


def _unconnected(cause: BaseException, url: str, key: str) -> ProviderDown:
    reason = _quoted(cause, key)
    if isinstance(cause, httpx2.ConnectError):
        advice = "is the server running, is the address right?"
        return ProviderDown(f"nothing answers at {url} ({reason}); {advice}")
    return ProviderDown(f"the connection to {url} broke ({reason})")


def _by_status(error: openai.APIStatusError, who: str, key: str) -> ModelError:
    said = f"status {error.status_code}: {_quoted(error, key)}"
    match error.status_code:
        case 401 | 403:
            return AuthFailed(f"{who} refused the key; set OPENAI_API_KEY ({said})")
        case 404:
            return UnknownModel(f"{who} is not there; is the name right? ({said})")
        case 429:
            return RateLimited(f"{who} asks for a pause ({said})", _retry_after_s(error))
        case 400 | 413 | 422 if _is_overflow(error):
            return ContextOverflow(f"{who}: the conversation is too long ({said})")
        case status if status >= 500 or status in (408, 409):
            return ProviderDown(f"{who} failed ({said})")
        case _:
            return BadRequest(f"{who} refused the request ({said})")


def _is_overflow(error: openai.APIStatusError) -> bool:
    text = f"{error.code} {error.message}".lower()
    return error.status_code == 413 or any(sign in text for sign in _OVERFLOW_SIGNS)


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _quoted(error: BaseException, key: str) -> str:
    """What an error says, in one bounded line without the key."""
    text = " ".join(str(error).split()) or type(error).__name__
    hidden = text.replace(key, "[key]") if len(key) > 4 else text
    return hidden[:_LONGEST_QUOTE]
