"""How a request that is not answered is told so."""

from typing import Final

from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from hyperspace.dashboard.links import ServerLinks
from hyperspace.dashboard.pages.frame import TEMPLATES
from hyperspace.reporting.legible import legible_json
from hyperspace.serve.errors import RequestRefused

API: Final = "/api/"


def refusal_response(scope: Scope, refused: RequestRefused) -> Response:
    """Return an answer that says why there is none: JSON below `/api/`, elsewhere a page."""
    if scope["path"].startswith(API):
        body = legible_json({"error": refused.message})
        return Response(body, refused.status, media_type="application/json")
    page = TEMPLATES.render(
        "refusal.html",
        title=f"Not shown ({refused.status})",
        sentence=f"{refused.message[:1].upper()}{refused.message[1:]}.",
        run_name="",
        is_copy=False,
        change_token="",
        static=ServerLinks().static,
    )
    return HTMLResponse(page, refused.status)
