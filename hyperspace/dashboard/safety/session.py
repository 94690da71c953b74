"""Who may look: whoever has the start token, and its cookie from then on."""

import hashlib
import hmac
import secrets
import threading

from hyperspace.dashboard.settings import Settings


class Session:
    """What shows that a request comes from whoever started the dashboard.

    Attributes:
        cookie_name: Names the port: a browser sends all cookies of a host to all its ports.
        change_token: Header value of requests that change something; in pages with `--steer`.
    """

    def __init__(self, settings: Settings) -> None:
        self._token = settings.token
        self._cookie = self._derived("cookie")
        self.cookie_name = f"hyperspace_{settings.port}"
        self.change_token = self._derived("change") if settings.steer else ""
        self._lock = threading.Lock()
        self._tickets: set[str] = set()

    def ticket(self) -> str:
        """Return a token that is good once: other users see the arguments of a browser's start."""
        ticket = secrets.token_urlsafe(32)
        with self._lock:
            self._tickets.add(ticket)
        return ticket

    def opens(self, token: str) -> bool:
        """Return whether a token of an address is the start token, or a ticket not used so far."""
        with self._lock:
            ticket = next((each for each in self._tickets if _equal(each, token)), None)
            if ticket is not None:
                self._tickets.remove(ticket)
        return ticket is not None or _equal(self._token, token)

    def holds(self, cookies: str) -> bool:
        """Return whether the session's cookie is in a Cookie header.

        Other servers of the host may have set one of its name, for a path of their own.
        """
        pairs = (pair.strip().partition("=") for pair in cookies.split(";"))
        return any(
            name == self.cookie_name and _equal(self._cookie, value) for name, _, value in pairs
        )

    def may_change(self, token: str) -> bool:
        """Return whether a header's value is the session's, and changes are possible at all."""
        return bool(self.change_token) and _equal(self.change_token, token)

    def set_cookie(self) -> str:
        """Return the value of a Set-Cookie header; the cookie ends with the browser."""
        return f"{self.cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def cookie(self) -> str:
        """Return the value of a Cookie header, as a browser sends it."""
        return f"{self.cookie_name}={self._cookie}"

    def _derived(self, purpose: str) -> str:
        # Neither tells of the other, nor of the token: each is known in another place.
        return hmac.new(self._token.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def _equal(ours: str, theirs: str) -> bool:
    """Compare in a time that does not tell how much of it is right."""
    return hmac.compare_digest(ours.encode(), theirs.encode("utf-8", "surrogateescape"))
