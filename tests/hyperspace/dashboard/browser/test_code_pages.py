"""Pages about code in a real browser: nothing runs that agents wrote, nothing sticks out."""

from pathlib import Path

import pytest

from tests.support.browsers import chromium, needs_chromium
from tests.support.dashboards import dashboard
from tests.support.runs.published_runs import Generation, conversation, write_run

pytestmark = [pytest.mark.browser, needs_chromium]

SEED = "def answer(item):\n    return item['size'] > 3\n"
PAYLOADS = (
    "<script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    '"><svg onload="document.title=\'run\'">',
    "</td></tr></table><iframe srcdoc=\"<script>parent.document.title='run'</script>\">",
    "javascript:document.title='run'",
    "'-document.title='run'-'",
)


def test_hostile_code_is_shown_as_text_at_any_width(tmp_path: Path) -> None:
    hostile = "".join(f"TEXT_{n} = '''{text}'''\n" for n, text in enumerate(PAYLOADS))
    peer = f"{SEED}{hostile}LONG = '{'x' * 3000}'\n"
    took = conversation(("cat strategies/b_gen1/task_agent.py", peer), PAYLOADS[0])
    agents = {
        "a": [Generation(SEED, 0.4), Generation(SEED, 0.4), Generation(peer, 0.7, calls=took)],
        "b": [Generation(SEED, 0.4), Generation(peer, 0.6), Generation(SEED, error=PAYLOADS[1])],
    }
    write_run(tmp_path / "results" / "a_vs_b" / "seed1", agents)
    with dashboard(tmp_path / "results", tmp_path / "cache") as client, chromium() as browser:
        run = client.get("/api/runs").json()["runs"][0]["id"]
        pages = (
            *("adoptions", "lineage", "agents/a/generations/2"),
            *("agents/b/generations/2", "diff?a=a:0&b=a:2"),
        )
        for width in (1280, 400):
            page = browser.new_page(viewport={"width": width, "height": 800})
            errors: list[str] = []
            page.on("console", lambda message, told=errors: told.append(message.text))
            page.on("pageerror", lambda error, told=errors: told.append(str(error)))
            page.goto(client.settings.entrance)
            for path in pages:
                page.goto(f"http://127.0.0.1:{client.settings.port}/runs/{run}/{path}")
                assert page.title().endswith("hyperspace")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert not errors
            page.close()
