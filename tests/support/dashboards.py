"""A dashboard that runs in this process, and a client that asks it over real HTTP."""

import http.client
import json
import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hyperspace.dashboard.api.change import ChangeEndpoint
from hyperspace.dashboard.api.registry import CHANGES
from hyperspace.dashboard.safety.session import Session
from hyperspace.dashboard.server import serving
from hyperspace.dashboard.settings import Settings


class Answer(NamedTuple):
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        """What it holds, decoded."""
        return json.loads(self.text)


class Client(NamedTuple):
    """Asks a dashboard as its own page would."""

    settings: Settings
    session: Session

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """Ask for an address."""
        return self.send("GET", path, headers)

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Send one request; headers given here come in place of those of a page of ours."""
        host, port = self.settings.host, self.settings.port
        with closing(http.client.HTTPConnection(host, port, timeout=180)) as connection:
            connection.request(method, path, body, {**self.headers(), **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)

    def change(self, path: str, what: Any, key: str, **headers: str) -> Answer:
        """Post a change as our page does; headers without a value are not sent."""
        given = {
            "Content-Type": "application/json",
            "Hyperspace-Change": self.session.change_token,
            "Idempotency-Key": key,
            "Origin": self.settings.url.rstrip("/"),
        }
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = what if isinstance(what, bytes) else json.dumps(what).encode()
        return self.send("POST", path, {k: v for k, v in given.items() if v}, data)

    def headers(self) -> dict[str, str]:
        """What shows that a request is ours."""
        return {"Cookie": self.session.cookie()}


@contextmanager
def dashboard(
    results: Path, cache: Path, changes: Sequence[ChangeEndpoint] = CHANGES, **options: Any
) -> Generator[Client]:
    """Serve a results folder while the context lasts; on any free port, unless options say one."""
    values: dict[str, Any] = {"port": 0} | options
    settings = Settings(results, secrets.token_urlsafe(32), cache, **values)
    with serving(settings, changes) as (bound, session):
        yield Client(bound, session)
