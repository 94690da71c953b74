"""Chromium, as Debian packages it, driven by Playwright."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from hyperspace.dashboard.settings import Settings

CHROMIUM: Final = shutil.which("chromium")
PATIENCE_MS: Final = 120_000  # of a machine that plays runs beside the browser
needs_chromium: Final = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"
)
# Nothing but the page that is asked for: no updates, no lookups of other hosts.
_QUIET: Final = (
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


def options() -> list[str]:
    """Return how Chromium is started."""
    # As root it refuses to start with a sandbox of its own.
    return [*_QUIET, "--no-sandbox"] if os.getuid() == 0 else list(_QUIET)


@contextmanager
def chromium() -> Generator[Browser]:
    """Start Chromium without a screen while the context lasts."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options())
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def entered(browser: Browser, settings: Settings, **options: Any) -> Generator[Page]:
    """A page that has entered a dashboard, and that ends in an error where a script had one.

    Args:
        browser: Opens it.
        settings: Of the dashboard.
        options: Of the browser's context.
    """
    base = f"http://127.0.0.1:{settings.port}"
    with browser.new_context(base_url=base, **options) as context:
        context.set_default_timeout(PATIENCE_MS)
        page, errors = context.new_page(), list[str]()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"/?token={settings.token}")
        yield page
        assert not errors
