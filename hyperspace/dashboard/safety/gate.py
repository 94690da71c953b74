"""Who is answered at all: checked before any route, for every method."""

import logging
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hyperspace.dashboard.safety.refusals import refusal_response
from hyperspace.dashboard.safety.session import Session
from hyperspace.dashboard.settings import Settings
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.origin import authorities, check_host, check_site

READING: Final = ("GET", "HEAD")
MOST_HEAD_BYTES: Final = 16 * 1024
OPEN_TO_ALL: Final = "/static/"  # our own files; the page that says how to get in has styles, too
TOKEN: Final = "token"  # noqa: S105  the name, not the secret
_LOG: Final = logging.getLogger(__name__)


class Gate:
    """Answers whoever may not ask; what is left is for the application behind it."""

    def __init__(self, app: ASGIApp, settings: Settings, session: Session) -> None:
        self._app = app
        self._settings = settings
        self._session = session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        try:
            response = self._checked(scope)
        except RequestRefused as refused:
            response = refusal_response(scope, refused)
            if refused.status == 405:
                response.headers["allow"] = ", ".join(self._methods())
        try:
            await (response or self._app)(scope, receive, send)
        except Exception:  # a defect of ours, which the answer tells of: the others are served
            _LOG.exception("no whole answer to %s %s", scope["method"], scope["path"])

    def _checked(self, scope: Scope) -> Response | None:
        """Return an answer in place of the application's; None where that may answer.

        Raises:
            RequestRefused: Nobody answers this.
        """
        headers = Headers(scope=scope)
        address = scope["server"][0] if scope["server"] else ""
        ours = authorities(self._settings.host, self._settings.port, address)
        check_host(headers, ours)
        if scope["method"] not in self._methods():
            allowed = " and ".join(self._methods())
            raise RequestRefused(405, f"{scope['method'][:20]} is not answered; {allowed} are")
        check_site(headers, ours)
        sizes = (len(name) + len(value) for name, value in scope["headers"])
        if sum(sizes) + len(scope["raw_path"]) + len(scope["query_string"]) > MOST_HEAD_BYTES:
            raise too_long()
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name == TOKEN for name, _ in query) and scope["method"] in READING:
            return self._entered(scope, query, headers)
        if not (scope["path"].startswith(OPEN_TO_ALL) or self._is_inside(headers)):
            raise self._locked()
        return None

    def _entered(self, scope: Scope, query: list[tuple[str, str]], headers: Headers) -> Response:
        """Take the token out of the address, whether or not it was needed."""
        token = next(value for name, value in query if name == TOKEN)
        is_right = self._session.opens(token)
        if not (is_right or self._is_inside(headers)):
            raise self._locked()
        # More than one slash, or one that leans the other way, would name another host.
        path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")
        rest = urlencode([(name, value) for name, value in query if name != TOKEN])
        response = Response(
            status_code=303, headers={"location": f"{path}?{rest}" if rest else path}
        )
        if is_right:
            response.headers["set-cookie"] = self._session.set_cookie()
        return response

    def _is_inside(self, headers: Headers) -> bool:
        return self._session.holds(headers.get("cookie", ""))

    def _locked(self) -> RequestRefused:
        return RequestRefused(
            403,
            "this dashboard opens to whoever has the address that it printed when it was started, "
            f"the one with ?{TOKEN}= in it; look there, or stop it and start it again with "
            "hyperspace dashboard",
        )

    def _methods(self) -> tuple[str, ...]:
        return (*READING, "POST") if self._settings.steer else READING


def too_long() -> RequestRefused:
    """Return what to say to a request whose head is larger than it may be."""
    return RequestRefused(431, f"the head of a request has at most {MOST_HEAD_BYTES} bytes")
