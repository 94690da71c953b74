"""A bundle opens in a real browser from the disk: with styles, without an error or a request."""

from pathlib import Path

import pytest

from hyperspace.dashboard.bundle.write import write_bundle
from tests.hyperspace.dashboard.bundle.reading import pages
from tests.replication.report.runs import ours
from tests.support.browsers import chromium, needs_chromium

pytestmark = [pytest.mark.browser, needs_chromium]
MOST_OPENED = 40


def test_every_page_opens_from_the_disk_and_asks_nobody(tmp_path: Path) -> None:
    run = ours(tmp_path / "results", "plain", 7, [0.2, 0.4, None, 0.5])
    bundle = tmp_path / "bundle"
    write_bundle(run, bundle)
    errors: list[str] = []
    requests: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        for path in list(pages(bundle))[:MOST_OPENED]:
            page.goto((bundle / path).as_uri())
            assert page.get_by_role("heading", level=1).is_visible()
            raised = page.eval_on_selector("nav", "nav => getComputedStyle(nav).display")
            assert raised == "flex"  # its styles were taken
        page.goto((bundle / "index.html").as_uri())
        page.get_by_role("link", name="Runs").click()
        page.get_by_role("link", name="mix/plain/seed7").click()
        assert page.url == (bundle / "index.html").as_uri()
    assert errors == []
    assert all(url.startswith((bundle.as_uri(), "data:")) for url in requests)
