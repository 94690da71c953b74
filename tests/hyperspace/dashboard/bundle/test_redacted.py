"""A redacted bundle holds nothing that was said to or by models, whichever pages there are."""

import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from hyperspace.dashboard.bundle.write import write_bundle
from hyperspace.kernel.files import tree_hashes
from tests.hyperspace.dashboard.bundle.reading import dead_links
from tests.support.command import pair

pytestmark = pytest.mark.long  # plays a run

SAID = ("content", "reasoning", "arguments", "text", "answer")
LEAST_LETTERS = 12  # shorter texts may stand anywhere


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("results")
    pair(results)
    return next(results.rglob("seed3"))


def texts_of(value: Any, name: str = "") -> Iterator[str]:
    """Every text in decoded JSON that stands in a field of what was said."""
    if isinstance(value, str):
        if name in SAID:
            yield value
    elif isinstance(value, dict):
        for field, inner in cast("dict[str, Any]", value).items():
            yield from texts_of(inner, field)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from texts_of(inner, name)


def said(run: Path) -> set[str]:
    """Texts of traces and answers that are no part of any code of the run."""
    code = "\n".join(path.read_text() for path in run.rglob("repo/*.py"))
    files = [*run.rglob("llm_calls.jsonl"), *run.rglob("answers.jsonl")]
    lines = (line for file in files for line in file.read_text().splitlines())
    texts = {text for line in lines for text in texts_of(json.loads(line))}
    return {text for text in texts if len(text) >= LEAST_LETTERS and text not in code}


def test_no_text_of_a_trace_is_in_a_redacted_bundle(run: Path, tmp_path: Path) -> None:
    texts, before = said(run), tree_hashes(run)
    assert len(texts) > 5
    manifest = write_bundle(run, tmp_path / "bundle", redact=True)
    assert manifest.redacted and manifest.run == "repo_quality/tinker_vs_magpie/seed3"
    for page in (tmp_path / "bundle").rglob("*.html"):
        shown = html.unescape(page.read_text())
        assert not [text for text in texts if text in shown], page
        assert str(run.parents[2]) not in shown
    assert dead_links(tmp_path / "bundle") == []
    assert tree_hashes(run) == before


def test_all_pages_of_a_played_run_link_to_each_other(run: Path, tmp_path: Path) -> None:
    manifest = write_bundle(run, tmp_path / "bundle")
    assert dead_links(tmp_path / "bundle") == []
    assert not [sentence for sentence in manifest.left_out if "could not be shown" in sentence]
