"""Takes pictures of every page, to be looked at.

    python -m tests.support.screenshots [NAME ...]

Each view of the dashboard, and the pages of `report --html` and `analyze --html`, at three widths,
light and dark, into `screenshots/NAME-WIDTH-light.png`. With names only these pages are taken. The
runs are played once, into `screenshots/runs`; remove that folder to have them played anew.
"""

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from playwright.async_api import Browser, Page, async_playwright

from tests.support.browsers import CHROMIUM, options
from tests.support.command import hyperspace
from tests.support.dashboards import Client, dashboard
from tests.support.paths import ROOT
from tests.support.screenshots.shown_pages import live_pages, still_pages
from tests.support.screenshots.shown_runs import ARMS, PAIRED, KeptRuns

PICTURES: Final = ROOT / "screenshots"
WIDTHS: Final = (1280, 700, 400)
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
TABS: Final = 3
TALLEST_PX: Final = 4000
PATIENCE_MS: Final = 180_000  # where others use the processor, too
# Plots are drawn, and a search has read all runs: until then its page loads itself again.
SETTLED: Final = (
    "() => !document.querySelector('#reading-on') "
    "&& (!document.querySelector('#plots') || document.querySelector('.uplot'))"
)
TOO_WIDE: Final = "() => document.documentElement.scrollWidth - innerWidth"


async def take(client: Client, pages: Mapping[str, str]) -> None:
    """Take pictures of pages, several at once.

    Args:
        client: Of the dashboard that shows them.
        pages: Addresses by name.
    """
    base = f"http://127.0.0.1:{client.settings.port}"
    async with async_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=options())
        browser = await launched
        waiting = sorted(pages.items(), reverse=True)
        tabs = (_tab(browser, base, client.settings.entrance, waiting) for _ in range(TABS))
        await asyncio.gather(*tabs)
        await browser.close()


async def _tab(browser: Browser, base: str, entrance: str, waiting: list[tuple[str, str]]) -> None:
    context = await browser.new_context(base_url=base, reduced_motion="reduce")
    page = await context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    await page.goto(entrance.replace(entrance.partition("?")[0].rstrip("/"), base))
    while waiting:
        name, address = waiting.pop()
        for width in WIDTHS:
            await _photograph(page, name, address, width)
    await context.close()


async def _photograph(page: Page, name: str, address: str, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        if scheme == SCHEMES[0]:
            await page.goto(address)
            await page.wait_for_function(SETTLED)
        tall = await page.evaluate("() => document.documentElement.scrollHeight")
        await page.screenshot(
            path=PICTURES / f"{name}-{width}-{scheme}.png",
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(tall, TALLEST_PX)},
        )
    if (beyond := await page.evaluate(TOO_WIDE)) > 0:
        print(f"{name} is {beyond} px wider than {width} px")


def written_pages(results: Path) -> dict[str, str]:
    """Write the pages that need no server, and return their addresses."""
    addresses: dict[str, str] = {}
    for command, below in (("report", ARMS), ("analyze", PAIRED)):
        page = PICTURES / f"{command}.html"
        done = hyperspace(command, results / below, "--html", page)
        assert done.returncode == 0, done.stderr
        addresses[command] = page.as_uri()
    return addresses


def main(names: list[str]) -> None:
    """Play the runs, serve them and take the pictures.

    Args:
        names: Of pages; empty for all.
    """
    kept, began = KeptRuns(PICTURES / "runs"), time.monotonic()

    def wanted(pages: Mapping[str, str]) -> dict[str, str]:
        return {name: pages[name] for name in pages if name in names or not names}

    kept.make()
    print(f"runs are there after {time.monotonic() - began:.0f} s")
    with dashboard(kept.results, PICTURES / "cache", steer=True) as client:
        if pages := wanted(live_pages(kept.results)):
            with kept.live():
                asyncio.run(take(client, pages))
            print(f"live pages are taken after {time.monotonic() - began:.0f} s")
        still = still_pages(kept.results) | written_pages(kept.results)
        asyncio.run(take(client, wanted(still)))
    print(f"pictures are in {PICTURES} after {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
