"""Our scripts: their types hold, and they show hidden characters as pages do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from hyperspace.reporting.legible import legible
from tests.support.browsers import chromium, needs_chromium
from tests.support.dashboards import dashboard
from tests.support.paths import ROOT

pytestmark = pytest.mark.browser
TSC = shutil.which("tsc")
STEP = 0x10000
STATIC = ROOT / "hyperspace" / "dashboard" / "static"
OPTIONS = (
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--noUnusedParameters"),
    *("--noImplicitReturns", "--module", "es2022", "--moduleResolution", "node"),
    *("--target", "es2022", "--lib", "es2022,dom,dom.iterable"),
)
SAME = """async ([first, last, shown]) => {
    const { legible } = await import("/static/legible.js");
    const letters = [];
    for (let code = first; code < last; code++)
        if (code < 0xd800 || code > 0xdfff) letters.push(String.fromCodePoint(code));
    return letters.map(legible).join("\\u0000") === shown;
}"""


@pytest.mark.skipif(TSC is None, reason="tsc is missing (Debian: apt-get install node-typescript)")
def test_the_types_of_our_scripts_hold() -> None:
    scripts = sorted(map(str, STATIC.glob("*.js")))
    checked = subprocess.run(
        [str(TSC), *OPTIONS, *scripts], capture_output=True, text=True, timeout=120, check=False
    )
    assert checked.returncode == 0, checked.stdout


@needs_chromium
def test_scripts_show_hidden_characters_by_the_codes_that_pages_show(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client, chromium() as browser:
        page = browser.new_page()
        page.goto(client.settings.entrance)
        for first in range(0, 0x110000, STEP):
            codes = (code for code in range(first, first + STEP) if not 0xD800 <= code <= 0xDFFF)
            shown = "\0".join(legible(chr(code)) for code in codes)
            assert page.evaluate(SAME, [first, first + STEP, shown]), hex(first)
