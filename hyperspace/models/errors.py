"""Translate what an SDK raises to a `ModelError`, by what went wrong; the same for all SDKs.

The classes of an SDK say that a request failed, and how the connection ended. What a server says
is read from its body (`error_body`), and its class from there (`refusals`).
"""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

from hyperspace.models.base import MalformedReply, ModelError, ProviderDown, Transient
from hyperspace.models.connections import proxy_for
from hyperspace.models.error_body import read_error
from hyperspace.models.providers import is_local
from hyperspace.models.refusals import Refusal
from hyperspace.models.target import ModelTarget

__all__ = ["ErrorInReply", "ModelTarget", "Sdk", "translated"]

_BY_TYPE: Final = {  # errors in the middle of a stream have the status of its beginning
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "timeout_error": 504,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "not_found_error": 404,
    "request_too_large": 413,
    "invalid_request_error": 400,
}

# What an SDK raises when it trips over what a server sent; none of them checks it.
_TRIPPED: Final = (ValueError, TypeError, AttributeError, LookupError, AssertionError, RuntimeError)


class Sdk(NamedTuple):
    """An SDK and its transport. The SDKs name their errors alike, and so do the transports.

    Attributes:
        package: The SDK; has `APIStatusError`, `APITimeoutError` and `APIConnectionError`.
        transport: What it sends with, `httpx` or `httpx2`.
        client: Makes a client.
        connections: Makes the client of the transport.
        list_models: Asks a client for the models that there are.
        other: Whatever else the SDK raises when an answer makes no sense.
        version_path: What an address ends in that the SDK is given; empty where it adds that.
    """

    package: Any
    transport: Any
    client: Callable[..., Any]
    connections: Callable[..., Any]
    list_models: Callable[[Any], Awaitable[object]]
    other: type[Exception]
    version_path: str = ""


class ErrorInReply(ModelError):
    """A body with the status of a success tells of an error; `translated` knows which.

    Attributes:
        body: What came.
    """

    def __init__(self, body: object) -> None:
        super().__init__("the answer tells of an error")
        self.body = body


@contextmanager
def translated(
    target: ModelTarget, sdk: Sdk, sent: Mapping[str, Any] | None = None
) -> Generator[None]:
    """Raise a `ModelError` for whatever an SDK or its transport raises inside.

    Args:
        target: Who is asked.
        sdk: With what.
        sent: The fields of the request; None for one that has none.
    """
    try:
        yield
    except ErrorInReply as error:
        raise _of_body(error.body, target, sdk, sent) from None
    except sdk.package.APIStatusError as error:
        raise _of_status_error(error, target, sdk, sent) from None
    except (sdk.package.APITimeoutError, sdk.transport.TimeoutException) as error:
        down = ProviderDown(f"{target} did not answer in time")
        down.is_reached = not isinstance(error.__cause__ or error, sdk.transport.ConnectTimeout)
        raise down from None
    except (sdk.package.APIConnectionError, sdk.transport.TransportError) as error:
        raise _of_connection(error, target, sdk) from None
    except (sdk.other, *_TRIPPED) as error:
        raise _of_nonsense(error, target, sdk, sent) from None


def _of_body(
    body: object, target: ModelTarget, sdk: Sdk, sent: Mapping[str, Any] | None
) -> ModelError:
    told = read_error(body, sent)
    by_type = next((_BY_TYPE[code] for code in told.codes if code in _BY_TYPE), 200)
    status = told.status or by_type
    error = Refusal(status, told, sent or {}, target, version_path=sdk.version_path).error()
    if isinstance(error, Transient):
        error.may_be_billed = True  # a reply had begun
    return error


def _of_status_error(
    error: Any, target: ModelTarget, sdk: Sdk, sent: Mapping[str, Any] | None
) -> ModelError:
    """Read an SDK's status error: `status_code`, `body`, `response`; the classes are its own."""
    status = int(error.status_code)
    if status < 300:
        return _of_body(error.body, target, sdk, sent)
    content = error.response.content if error.response.is_stream_consumed else b""
    told = read_error(content or error.body or str(error), sent)
    pause_s = retry_after_s(error.response.headers)
    return Refusal(status, told, sent or {}, target, pause_s, sdk.version_path).error()


def _of_nonsense(
    error: Exception, target: ModelTarget, sdk: Sdk, sent: Mapping[str, Any] | None
) -> ModelError:
    """An error event in a stream has a body; what else an SDK cannot read has none."""
    body = getattr(error, "body", None)
    if body:
        return _of_body(body, target, sdk, sent)
    return MalformedReply(f"{target} sent no answer: {target.quoted(error)}")


def _of_connection(error: Exception, target: ModelTarget, sdk: Sdk) -> ProviderDown:
    cause = error.__cause__ or error
    reason = target.quoted(cause)
    transport = sdk.transport
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        advice = "SSL_CERT_FILE names a file of others, such as your network's own"
        message = f"the certificate of {target.url} is none that is trusted here ({reason})"
        return _unreached(f"{message}; {advice}")
    proxy = None if is_local(target.url) else proxy_for(target.url)
    if proxy and isinstance(cause, transport.ConnectError | transport.ProxyError):
        advice = "is it running, is that address right? unset the variable to go without"
        message = f"{proxy} does not answer, or does not let us pass ({reason}); {advice}"
        return _unreached(message)
    if isinstance(cause, transport.ConnectError):
        advice = "is the server running, is the address right?"
        message = f"nothing answers at {target.url} ({reason}); {advice}"
        return _unreached(message)
    return ProviderDown(f"the connection to {target.url} broke ({reason})")


def _unreached(message: str) -> ProviderDown:
    down = ProviderDown(message, may_be_billed=False)
    down.is_reached = False
    return down


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from a `Retry-After` header in seconds or as a date; None without sense."""
    text = headers.get("retry-after", "")
    try:
        seconds = float(text)
    except ValueError:
        seconds = _until(text)
    return seconds if seconds is not None and 0 <= seconds < float("inf") else None


def _until(date: str) -> float | None:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
