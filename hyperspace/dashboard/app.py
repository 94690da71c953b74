"""The application: routes from the registries of views and endpoints, and what stands before them.

Reading and drawing happen in threads, a few at a time: files are read, and a page of a large run
must not hold up what is live.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import resources
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from hyperspace.dashboard import vendor
from hyperspace.dashboard.api import openapi
from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.api.registry import CHANGES, ENDPOINTS
from hyperspace.dashboard.errors import BadQuery, NotDone, NotThere
from hyperspace.dashboard.links import ServerLinks
from hyperspace.dashboard.live.hub import LiveRuns
from hyperspace.dashboard.live.stream import event_stream
from hyperspace.dashboard.pages.frame import document
from hyperspace.dashboard.question import Question, RunKind, Sources
from hyperspace.dashboard.results.links import LinkInRun
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.dashboard.safety.changes import ChangeAnswer, DoneOnce, decoded, read_change
from hyperspace.dashboard.safety.gate import Gate
from hyperspace.dashboard.safety.headers import SafeHeaders
from hyperspace.dashboard.safety.refusals import refusal_response
from hyperspace.dashboard.safety.session import Session
from hyperspace.dashboard.settings import Settings
from hyperspace.dashboard.sources import open_sources
from hyperspace.dashboard.view import PageContent, View
from hyperspace.dashboard.views import one_run
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import written_name
from hyperspace.reporting.legible import legible_json
from hyperspace.runs.files import why_unreadable
from hyperspace.serve.errors import RequestRefused
from markspace.errors import StoreError

READERS: Final = 4
LEDGER_PIECES: Final = 4  # of more than a hundred that 200,000 calls write
_TYPES: Final = {".css": "text/css", ".js": "text/javascript"}
Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")


class ServerState(NamedTuple):
    """What all routes of one dashboard share.

    Attributes:
        sources: What answers are read from.
        session: Who may ask, and who may change something.
        limiter: How many read at the same time.
        done: Changes that were done.
    """

    sources: Sources
    session: Session
    limiter: CapacityLimiter
    done: DoneOnce

    def question(self, request: Request) -> Question:
        """Return what a request asks for."""
        path: dict[str, Any] = request.path_params
        token = self.session.change_token
        return Question(self.sources, path, dict(request.query_params), ServerLinks(), token)


def build(
    settings: Settings, session: Session, changes: Sequence[ChangeEndpoint] = CHANGES
) -> ASGIApp:
    """Return the application of a dashboard.

    Args:
        settings: What it was started with.
        session: Who may ask.
        changes: What can be changed where `settings.steer` says so.
    """
    sources = open_sources(ResultsTree(settings.results), settings.cache, LEDGER_PIECES)
    server = ServerState(sources, session, CapacityLimiter(READERS), DoneOnce())
    live = LiveRuns(sources.followed, ServerLinks())
    routes = [
        *(Route(view.path, _page(view, server)) for view in VIEWS),
        *(Route(each.path, _data(each, server)) for each in ENDPOINTS),
        Route("/api/runs/{run}/events", event_stream(sources.tree, live)),
        Route("/static/{name}", _static),
        Route(openapi.PATH, _description),
    ]
    if settings.steer:
        routes += [Route(each.path, _change(each, server), methods=["POST"]) for each in changes]
    handlers = {404: _nothing_there, Exception: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return SafeHeaders(Gate(app, settings, session))


async def _nothing_there(request: Request, _: Exception) -> Response:
    refused = RequestRefused(404, "there is nothing at this address")
    return refusal_response(request.scope, refused)


async def _failed(request: Request, error: Exception) -> Response:
    """Say that a defect of ours, which the gate logs, was met; other pages are served on."""
    refused = RequestRefused(500, f"the dashboard failed here: {type(error).__name__}")
    return refusal_response(request.scope, refused)


def _page(view: View, server: ServerState) -> Handler:
    def draw(question: Question) -> Response:
        code, shown = answered(question, view.render, view.of)
        if code == 500 and view is one_run.VIEW:
            shown = one_run.awaiting(question, shown)
        return HTMLResponse(document(question, shown, VIEWS, view), code)

    async def handle(request: Request) -> Response:
        return await run_sync(draw, server.question(request), limiter=server.limiter)

    return handle


def _data(endpoint: ApiEndpoint, server: ServerState) -> Handler:
    def read(question: Question) -> Response:
        code, answer = told(question, endpoint.answer, endpoint.of)
        return Response(legible_json(answer), code, media_type="application/json")

    async def handle(request: Request) -> Response:
        return await run_sync(read, server.question(request), limiter=server.limiter)

    return handle


def _change(endpoint: ChangeEndpoint, server: ServerState) -> Handler:
    async def handle(request: Request) -> Response:
        try:
            posted = await read_change(request, server.session)
            body = decoded(posted.body, endpoint.body)
            change = AskedChange(server.question(request), body, posted.key)

            def do(_: Question) -> Any:
                return endpoint.change(change)

            def act() -> ChangeAnswer:
                code, answer = told(change.question, do, "any")
                return ChangeAnswer(code, legible_json(answer))

            done = await server.done.answer(posted, partial(run_sync, act, limiter=server.limiter))
        except RequestRefused as refused:
            return refusal_response(request.scope, refused)
        return Response(done.body, done.code, media_type="application/json")

    return handle


def answered(
    question: Question, render: Callable[[Question], PageContent], of: RunKind
) -> tuple[int, PageContent]:
    """Return what a view shows, or else a sentence that says why it cannot, with the HTTP code."""
    code, shown = told(question, render, of)
    if isinstance(shown, PageContent):
        return code, shown
    return code, PageContent("Not shown", "note.html", {"note": shown["error"], "events": ""})


def told(
    question: Question, answer: Callable[[Question], T], of: RunKind
) -> tuple[int, T | dict[str, str]]:
    """Return an answer, or else why there is none, with the HTTP code."""
    try:
        question.require(of)
        return 200, answer(question)
    except NotThere as error:
        return 404, {"error": written_name(str(error))}
    except BadQuery as error:
        return 400, {"error": written_name(str(error))}
    except NotDone as error:
        return 422, {"error": written_name(str(error))}
    except LinkInRun as error:  # nothing failed: such a run is not shown
        return 409, {"error": written_name(f"this run is not shown: {error}")}
    except (RunUsageError, RunDamaged, StoreError, OSError) as error:
        return 500, {"error": written_name(f"this run cannot be read: {why_unreadable(error)}")}


async def _description(_: Request) -> Response:
    described = msgspec.json.encode(openapi.openapi(ENDPOINTS, CHANGES))
    return Response(described, media_type="application/json")


def static_file(name: str) -> bytes:
    """Return a style or a script of ours, or of a library that came along.

    Raises:
        FileNotFoundError: There is none of this name.
    """
    if "/" in name or "\\" in name:
        raise FileNotFoundError(name)
    package = "hyperspace.reporting" if name == "page.css" else "hyperspace.dashboard.static"
    file = resources.files(package).joinpath(name)
    return file.read_bytes() if file.is_file() else vendor.content(name)


async def _static(request: Request) -> Response:
    name = str(request.path_params["name"])
    suffix = name[name.rfind(".") :]
    with suppress(OSError, KeyError, ValueError):
        return Response(static_file(name), media_type=_TYPES[suffix])
    return Response("there is no such file", 404, media_type="text/plain")
