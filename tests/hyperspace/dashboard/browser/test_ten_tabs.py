"""Ten tabs of live pages: a browser opens six connections to a host, and hidden tabs keep none."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.support.browsers import CHROMIUM, needs_chromium
from tests.support.dashboards import dashboard
from tests.support.runs.going_on import playing

DRIVER: Final = shutil.which("chromedriver")
TABS: Final = 10
PATIENCE_S: Final = 300
pytestmark = [
    pytest.mark.browser,
    needs_chromium,
    pytest.mark.skipif(DRIVER is None, reason="no chromedriver (Debian: chromium-driver)"),
]


@pytest.fixture
def driver() -> Generator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for option in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(option)
    if os.getuid() == 0:
        options.add_argument("--no-sandbox")
    driver = webdriver.Chrome(options, Service(DRIVER))
    driver.set_page_load_timeout(PATIENCE_S)
    yield driver
    driver.quit()


def test_ten_tabs_of_a_run_open_and_the_one_that_is_shown_is_live(
    driver: webdriver.Chrome, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    with playing(results, generations=8), dashboard(results, tmp_path / "cache") as client:
        (run,) = client.get("/api/runs").json()["runs"]
        driver.get(client.settings.entrance)
        for _ in range(TABS):
            driver.switch_to.new_window("tab")
            driver.get(f"http://127.0.0.1:{client.settings.port}/runs/{run['id']}")
        driver.switch_to.window(driver.window_handles[1])  # shown again, it listens again
        # An element that is found may have been replaced, by a live page, before it is read.
        replaced = [StaleElementReferenceException]
        WebDriverWait(driver, PATIENCE_S, ignored_exceptions=replaced).until(
            lambda shown: shown.find_element(By.ID, "state").text == "finished"
        )
