"""A page opens in a real browser."""

from pathlib import Path

import pytest

from tests.support.browsers import chromium, needs_chromium
from tests.support.command import pair
from tests.support.dashboards import dashboard

pytestmark = [pytest.mark.browser, needs_chromium]


def test_the_list_of_runs_opens_without_an_error(tmp_path: Path) -> None:
    pair(tmp_path / "results")
    with dashboard(tmp_path / "results", tmp_path / "cache") as client, chromium() as browser:
        page = browser.new_page()
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(client.settings.entrance)
        assert page.get_by_role("heading", name="Runs").is_visible()
        assert not errors
