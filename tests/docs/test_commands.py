"""Who runs the pages one after the other sees what they show: none goes on with another's run."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.docs.pages import PAGES
from tests.support.paths import ROOT

COMMAND = re.compile(
    r"^(?: {4,}(?:\$ )?)?((?:timeout .* )?(?:hyperspace (?:solo|pair)|python -m "
    r"(?:replication\.run|transfer_experiment\.run_shared)) (?:[^\n]*\\\n)*[^\n]*)$",
    re.MULTILINE,
)


def runs(page: Path) -> Iterator[str]:
    """Where the runs of a page lie: its results folder, domain and name."""
    for found in COMMAND.findall(page.read_text("utf-8")):
        words = shlex.split(found.replace("\\\n", " "))
        if "--dry-run" not in words:
            yield " ".join((value(words, "--results"), value(words, "--domain"), name(words)))


def value(words: list[str], option: str) -> str:
    return words[words.index(option) + 1] if option in words else "-"


def name(words: list[str]) -> str:
    if "--models" not in words:
        return value(words, "--experiment")
    start = words.index("--models") + 1
    return "_vs_".join(words[start : start + 2])


def test_no_two_pages_play_in_one_folder() -> None:
    pages: defaultdict[str, set[str]] = defaultdict(set)
    for page in PAGES:
        for place in runs(page):
            pages[place].add(str(page.relative_to(ROOT)))
    assert len(pages) >= 10
    shared = {place: names for place, names in pages.items() if len(names) > 1}
    assert shared == {}


def test_the_runs_of_an_experiment_are_on_one_model() -> None:
    models: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for page in PAGES:
        for found in COMMAND.findall(page.read_text("utf-8")):
            words = shlex.split(found.replace("\\\n", " "))
            if "--models" not in words:
                models[value(words, "--domain"), name(words)].add(value(words, "--model"))
    mixed = {key: names for key, names in models.items() if len(names) > 1}
    assert mixed == {}
