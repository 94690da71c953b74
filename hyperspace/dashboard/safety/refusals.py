"""How a request that is not answered is told so."""

from typing import Final

from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from hyperspace.reporting.legible import legible_json
from hyperspace.reporting.page import escaped, note
from hyperspace.serve.errors import RequestRefused

API: Final = "/api/"


def refusal_response(scope: Scope, refused: RequestRefused) -> Response:
    """Return an answer that says why there is none: JSON below `/api/`, elsewhere a page."""
    if scope["path"].startswith(API):
        body = legible_json({"error": refused.message})
        return Response(body, refused.status, media_type="application/json")
    sentence = f"{refused.message[:1].upper()}{refused.message[1:]}."
    title = f"Not shown ({refused.status})"
    styles = "".join(
        f'<link rel="stylesheet" href="/static/{name}">\n' for name in ("page.css", "dashboard.css")
    )
    return HTMLResponse(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{escaped(title)}</title>\n{styles}</head>\n<body>\n<main>\n"
        f"<h1>{escaped(title)}</h1>\n{note(sentence)}</main>\n</body>\n</html>\n",
        refused.status,
    )
