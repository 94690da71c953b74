"""The application: routes from the registries of views and endpoints, and what stands before them.

Reading and drawing happen in threads, a few at a time: files are read, and a page of a large run
must not hold up what is live.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib import resources
from typing import Any, Final, TypeVar

import msgspec
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from dashboard.api.endpoint import ApiEndpoint
from dashboard.api.registry import ENDPOINTS
from dashboard.asked import Asked, Sources
from dashboard.errors import BadQuery, NotThere
from dashboard.links import ServerLinks
from dashboard.pages.frame import document
from dashboard.results.held import HeldRuns
from dashboard.results.tree import ResultsTree
from dashboard.safety.headers import SafeHeaders
from dashboard.settings import Settings
from dashboard.view import PageContent, View
from dashboard.views.registry import VIEWS
from evolution.errors import RunDamaged, RunUsageError
from markspace.errors import StoreError

READERS: Final = 4
_TYPES: Final = {".css": "text/css", ".js": "text/javascript"}
Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")


def build(settings: Settings) -> ASGIApp:
    """Return the application of a dashboard."""
    sources = Sources(ResultsTree(settings.results), HeldRuns())
    limiter = CapacityLimiter(READERS)
    routes = [
        *(Route(view.path, _page(view, sources, settings, limiter)) for view in VIEWS),
        *(Route(each.path, _data(each, sources, settings, limiter)) for each in ENDPOINTS),
        Route("/static/{name}", _static),
    ]
    return SafeHeaders(Starlette(routes=routes))


def _page(view: View, sources: Sources, settings: Settings, limiter: CapacityLimiter) -> Handler:
    def draw(asked: Asked) -> Response:
        code, shown = answered(asked, view.render)
        return HTMLResponse(document(asked, shown, VIEWS), code)

    async def handle(request: Request) -> Response:
        return await run_sync(draw, _asked(request, sources, settings), limiter=limiter)

    return handle


def _data(
    endpoint: ApiEndpoint, sources: Sources, settings: Settings, limiter: CapacityLimiter
) -> Handler:
    def read(asked: Asked) -> Response:
        code, answer = told(asked, endpoint.answer)
        return Response(msgspec.json.encode(answer), code, media_type="application/json")

    async def handle(request: Request) -> Response:
        return await run_sync(read, _asked(request, sources, settings), limiter=limiter)

    return handle


def answered(asked: Asked, render: Callable[[Asked], PageContent]) -> tuple[int, PageContent]:
    """Return what a view shows, or else a sentence that says why it cannot, with the HTTP code."""
    code, shown = told(asked, render)
    if isinstance(shown, PageContent):
        return code, shown
    return code, PageContent("Not shown", (shown["error"],))


def told(asked: Asked, answer: Callable[[Asked], T]) -> tuple[int, T | dict[str, str]]:
    """Return an answer, or else why there is none, with the HTTP code."""
    try:
        return 200, answer(asked)
    except NotThere as error:
        return 404, {"error": str(error)}
    except BadQuery as error:
        return 400, {"error": str(error)}
    except (RunUsageError, RunDamaged, StoreError, OSError) as error:
        return 500, {"error": f"this run cannot be read: {error}"}


def _asked(request: Request, sources: Sources, settings: Settings) -> Asked:
    path: dict[str, Any] = request.path_params
    return Asked(sources, path, dict(request.query_params), ServerLinks(), settings.steer)


async def _static(request: Request) -> Response:
    name = str(request.path_params["name"])
    suffix = name[name.rfind(".") :]
    package = "reporting" if name == "page.css" else "dashboard.static"
    with suppress(OSError, KeyError):
        file = resources.files(package).joinpath(name)
        if "/" not in name and "\\" not in name:
            return Response(file.read_bytes(), media_type=_TYPES[suffix])
    return Response("there is no such file", 404, media_type="text/plain")
