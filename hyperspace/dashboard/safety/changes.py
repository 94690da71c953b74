"""What a request that changes something has to bring, and that it is done once.

A page posts JSON with the session's header token, which it reads from `<meta name="change-token">`,
and with an idempotency key that it drew::

    fetch(address, {method: "POST", body: JSON.stringify(what), headers: {
        "Content-Type": "application/json", "Hyperspace-Change": token,
        "Idempotency-Key": crypto.randomUUID()}})
"""

import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

import anyio
import msgspec
from starlette.requests import ClientDisconnect, Request

from guards.parsing import decode_json
from hyperspace.dashboard.safety.session import Session
from hyperspace.kernel.files import sha256_hex
from hyperspace.serve.errors import RequestRefused

TOKEN_HEADER: Final = "hyperspace-change"  # noqa: S105  the name, not the secret
KEY_HEADER: Final = "idempotency-key"
MOST_BODY_BYTES: Final = 64 * 1024
MOST_KEPT: Final = 1000
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{8,80}")


class Posted(NamedTuple):
    """A request for a change that has brought what it has to.

    Attributes:
        body: What was posted.
        key: The idempotency key.
        sha256: Of address and body.
    """

    body: bytes
    key: str
    sha256: str


class ChangeAnswer(NamedTuple):
    """An answer to a change: HTTP code, and JSON."""

    code: int
    body: bytes


async def read_change(request: Request, session: Session) -> Posted:
    """Read a request for a change.

    Raises:
        RequestRefused: It lacks something, or is too large.
    """
    if not session.may_change(request.headers.get(TOKEN_HEADER, "")):
        raise RequestRefused(403, f"the header {TOKEN_HEADER} has not the token of this session")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestRefused(415, "a change is posted as application/json")
    key = request.headers.get(KEY_HEADER, "")
    if not _KEY.fullmatch(key):
        raise RequestRefused(
            400, f"the header {KEY_HEADER} has to be 8 to 80 letters, digits, - or _"
        )
    body = await _body(request)
    return Posted(body, key, sha256_hex(request.url.path.encode() + b"\0" + body))


def decoded(body: bytes, kind: Any) -> Any:
    """Decode what was posted.

    Raises:
        RequestRefused: It is not of this kind.
    """
    try:
        return decode_json(body, kind)
    except msgspec.DecodeError as error:
        raise RequestRefused(400, f"what was posted cannot be used: {error}") from None


class DoneOnce:
    """The answers to changes by their keys: what is asked for again is answered, not done again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def answer(
        self, posted: Posted, act: Callable[[], Awaitable[ChangeAnswer]]
    ) -> ChangeAnswer:
        """Do a change, or return the answer that it had; a failure of ours (500) is tried again.

        Raises:
            RequestRefused: Another change had this key.
        """
        kept = self._kept.setdefault(posted.key, _Kept(posted.sha256))
        if kept.sha256 != posted.sha256:
            raise RequestRefused(409, f"{KEY_HEADER} {posted.key} was that of another change")
        self._kept.move_to_end(posted.key)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        async with kept.lock:
            if kept.answer is not None:
                return kept.answer
            answer = await act()
            if answer.code < 500:
                kept.answer = answer
            return answer


class _Kept:
    """One key: what was asked for under it, and the answer once there is one."""

    def __init__(self, sha256: str) -> None:
        self.sha256 = sha256
        self.lock = anyio.Lock()
        self.answer: ChangeAnswer | None = None


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BODY_BYTES:
                raise RequestRefused(413, f"a change has at most {MOST_BODY_BYTES} bytes")
    except ClientDisconnect:
        raise RequestRefused(400, "the request ended early") from None
    return bytes(body)
