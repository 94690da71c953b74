"""Translate what an SDK raises to a `ModelError`, by what went wrong; the same for all SDKs.

The classes are the adapter's to name; what a provider says is read from the body, whose shape is
`{"error": {"message", "type", "code", "param"}}`, with or without the outer part, or a list of it.
"""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple, cast

from agents.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    FieldRefused,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    Refused,
    ToolsUnsupported,
    Transient,
    UnknownModel,
    WrongAddress,
)
from agents.models.error_patterns import matches, refused_field

_LONGEST_QUOTE: Final = 300
_BY_TYPE: Final = {  # errors in the middle of a stream have the status of its beginning
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "api_error": 500,
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

_PASSING: Final = (408, 409, 425)
# A gateway that gave up waiting does not know whether a reply was made behind it.
_GATEWAY_GAVE_UP: Final = (408, 502, 504, 520, 522, 524)


class Sdk(NamedTuple):
    """An SDK and its transport. The SDKs name their errors alike, and so do the transports.

    Attributes:
        package: The SDK; has `APIStatusError`, `APITimeoutError` and `APIConnectionError`.
        transport: What it sends with, `httpx` or `httpx2`.
        client: Makes a client.
        connections: Makes the client of the transport.
        list_models: Asks a client for the models that there are.
        other: Whatever else the SDK raises when an answer makes no sense.
    """

    package: Any
    transport: Any
    client: Callable[..., Any]
    connections: Callable[..., Any]
    list_models: Callable[[Any], Awaitable[object]]
    other: type[Exception]


class ModelTarget(NamedTuple):
    """Who was asked, for messages; the key is cut out of whatever is said."""

    model: str
    url: str
    key: str
    key_variable: str

    def __repr__(self) -> str:
        return f"Asked({self.model!r}, {self.url!r})"

    def __str__(self) -> str:
        return f"{self.model} at {self.url}"

    def quoted(self, text: object) -> str:
        """Quote a text in one bounded line, without the key."""
        line = " ".join(str(text).split()) or type(text).__name__
        hidden = line.replace(self.key, "[key]") if len(self.key) > 4 else line
        return hidden[:_LONGEST_QUOTE]


@contextmanager
def translated(target: ModelTarget, sdk: Sdk) -> Generator[None]:
    """Raise a `ModelError` for whatever an SDK or its transport raises inside."""
    try:
        yield
    except sdk.package.APIStatusError as error:
        raise _of_status_error(error, target) from None
    except (sdk.package.APITimeoutError, sdk.transport.TimeoutException):
        raise ProviderDown(f"{target} did not answer in time") from None
    except (sdk.package.APIConnectionError, sdk.transport.TransportError) as error:
        raise _of_connection(error, target, sdk) from None
    except (sdk.other, *_TRIPPED) as error:
        raise _of_nonsense(error, target) from None


def of_body(body: object, target: ModelTarget, status: int = 500) -> ModelError:
    """The error that a body tells of; some providers send it with status 200."""
    fields = error_fields(body)
    code = fields.get("code")
    status_of_type = _BY_TYPE.get(str(fields.get("type")), status)
    stated = code if isinstance(code, int) and 400 <= code < 600 else status_of_type
    error = _by_status(stated, fields.get("message") or body, fields, target, None)
    if isinstance(error, Transient):
        error.may_be_billed = True  # a reply had begun
    return error


def error_fields(body: object) -> Mapping[str, Any]:
    """The inner fields of an error's body; empty if it has none."""
    if isinstance(body, list) and body:
        return error_fields(cast("list[object]", body)[0])
    if not isinstance(body, dict):
        return {}
    fields = cast("dict[str, Any]", body)
    inner = fields.get("error")
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else fields


def _of_status_error(error: Any, target: ModelTarget) -> ModelError:
    """Read an SDK's status error: `status_code`, `body`, `response`; the classes are its own."""
    fields = error_fields(error.body)
    status = int(error.status_code)
    if status < 300:
        return of_body(error.body, target)
    pause_s = retry_after_s(error.response.headers)
    return _by_status(status, fields.get("message") or error, fields, target, pause_s)


def _of_nonsense(error: Exception, target: ModelTarget) -> ModelError:
    """An error event in a stream has a body; what else an SDK cannot read has none."""
    body = getattr(error, "body", None)
    if error_fields(body):
        return of_body(body, target)
    return MalformedReply(f"{target} sent no answer: {target.quoted(error)}")


def _of_connection(error: Exception, target: ModelTarget, sdk: Sdk) -> ProviderDown:
    cause = error.__cause__ or error
    reason = target.quoted(cause)
    if isinstance(cause, sdk.transport.ConnectError):
        advice = "is the server running, is the address right?"
        message = f"nothing answers at {target.url} ({reason}); {advice}"
        return ProviderDown(message, may_be_billed=False)
    return ProviderDown(f"the connection to {target.url} broke ({reason})")


def _by_status(
    status: int,
    message: object,
    fields: Mapping[str, Any],
    target: ModelTarget,
    pause_s: float | None,
) -> ModelError:
    said = f"status {status}: {target.quoted(message)}"
    # Only the beginning: what comes after may be quoted from a request that nobody vouches for.
    text = f"{fields.get('code')} {fields.get('type')} {message}"[:_LONGEST_QUOTE].lower()
    match status:
        case 402:
            return OutOfCredit(f"the account at {target.url} has nothing left to spend ({said})")
        case 429 if not matches("credit", text):
            return RateLimited(f"{target} asks for a pause ({said})", pause_s)
        case _ if status in _PASSING or status >= 500:
            gave_up = status in _GATEWAY_GAVE_UP
            return ProviderDown(f"{target} failed ({said})", pause_s, may_be_billed=gave_up)
        case _ if status < 400:
            return WrongAddress(
                f"{target} has moved, and keys do not follow; use its new address ({said})"
            )
        case _:
            return _final(status, text, said, fields, target)


def _final(
    status: int, text: str, said: str, fields: Mapping[str, Any], target: ModelTarget
) -> ModelError:
    """Errors that a retry does not mend, telling words first: providers share few statuses."""
    if matches("credit", text):
        return OutOfCredit(f"the account at {target.url} has nothing left to spend ({said})")
    if status == 413 or matches("overflow", text):
        return ContextOverflow(f"{target}: the conversation is too long ({said})")
    if matches("tools", text):
        return ToolsUnsupported(f"{target} cannot call tools ({said})")
    if matches("refusal", text):
        return Refused(f"{target} refused the content of the request ({said})")
    if status in (401, 403) or matches("key", text):
        return AuthFailed(f"{target} refused the key; set {target.key_variable} ({said})")
    if status == 404 or matches("model", text):
        return UnknownModel(f"{target} is not there; is the name right? ({said})")
    field = refused_field(fields.get("param"), text)
    if field is not None:
        return FieldRefused(f"{target} takes no {field} ({said})", field)
    return BadRequest(f"{target} refused the request ({said})")


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
