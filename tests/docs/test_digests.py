"""Commands of reference pages that show a digest end in that digest."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import hyperspace
from tests.support.paths import ROOT

pytestmark = pytest.mark.long
PAGES = ("solo-options", "levels")


def shown(page: str) -> Iterator[tuple[str, str]]:
    """Each command of a page with the digest that stands after it."""
    command = ""
    for line in (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8").splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "hyperspace" and line.startswith("    "):
            command = rest
        elif word == "digest" and line.startswith("    "):
            yield command, rest


def patch_of(text: str) -> str:
    """The patch that a page shows with `cat better.diff`."""
    lines = text.split("    cat better.diff\n")[1].split("    hyperspace ")[0].splitlines()
    return "".join(f"{line[4:]}\n" for line in lines)


@pytest.mark.parametrize("page", PAGES)
def test_a_command_ends_in_the_digest_that_its_page_shows(page: str, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8")
    if "cat better.diff" in text:
        (tmp_path / "better.diff").write_text(patch_of(text))
    told = dict(shown(page))
    assert told
    for command, digest in told.items():
        done = hyperspace(*shlex.split(command), cwd=tmp_path)
        assert done.returncode == 0, (command, done.stderr)
        assert f"digest {digest}" in done.stdout, command
