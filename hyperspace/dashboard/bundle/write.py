"""Writing a bundle: the pages of one run, one after another as they name each other, bounded.

The views that the server shows are rendered with addresses of files. Nothing of it needs a script;
what is live, forms and searching are left out. A manifest lists every file with its hash.
"""

import tempfile
from collections import deque
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hyperspace.dashboard.app import answered
from hyperspace.dashboard.bundle.addresses import (
    FIRST,
    LEFT_OUT,
    PAGES,
    BundleLinks,
    PageAddress,
    matching_view,
)
from hyperspace.dashboard.pages.frame import document
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.place import RunPlace, place_of
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.dashboard.sources import open_sources
from hyperspace.dashboard.view import PageContent, View
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.export.packing import pack
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import in_the_way, pretty_json, sha256_hex
from hyperspace.reporting.lines import counted
from hyperspace.runs.folders import is_run
from hyperspace.runs.research.kind import require_no_research

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
STYLES: Final = (
    ("hyperspace.reporting", "page.css"),
    ("hyperspace.dashboard.static", "dashboard.css"),
)
_PARTS_OF_NAME: Final = 3  # <domain>/<name>/seed<n>


class BundleLimits(NamedTuple):
    """What a bundle may hold.

    Attributes:
        pages: Pages at most; half of them may be of addresses with a query.
        size_bytes: Bytes of all pages; one beyond it says only that it is left out.
    """

    pages: int = 2_000
    size_bytes: int = 200_000_000


class BundledFile(msgspec.Struct, frozen=True):
    """One file of a bundle.

    Attributes:
        path: Below the bundle.
        size_bytes: Its size.
        sha256: Hash of its content.
        title: Of the page; empty of other files.
    """

    path: str
    size_bytes: int
    sha256: str
    title: str = ""


class BundleManifest(msgspec.Struct, frozen=True, kw_only=True):
    """manifest.json: what a bundle holds.

    Attributes:
        format: Version of this form.
        run: The run's name.
        redacted: Whether texts, names and folders were taken out before pages were made.
        files: Every file but this one, by path.
        left_out: Sentences on what is not in it.
    """

    format: int
    run: str
    redacted: bool
    files: tuple[BundledFile, ...]
    left_out: tuple[str, ...]


def write_bundle(
    run: Path, target: Path, *, redact: bool = False, limits: BundleLimits | None = None
) -> BundleManifest:
    """Write the pages of a run into a new or empty folder.

    Args:
        run: The run folder; only read.
        target: Where pages go.
        redact: Make them of the run as `hyperspace export --redact` packs it.
        limits: What it may hold.

    Raises:
        RunUsageError: There is no run, or the folder is in use.
        StoreError: The run's space cannot be read, and it is to be redacted.
    """
    if redact:
        require_no_research(run, "its pages are not redacted; leave --redact out")
    if not (run.is_dir() and is_run(run)):
        raise RunUsageError(f"{run} is no run; name a run folder, such as results/.../seed42")
    _check_target(run, target)
    with tempfile.TemporaryDirectory(prefix="hyperspace-bundle-") as scratch:
        if redact:
            shown = _redacted(run, Path(scratch))
        else:  # named by the last folders of its path, as it lies below results
            whole = run.resolve()
            shown = place_of(whole, whole.parents[:_PARTS_OF_NAME][-1])
        bundle = _Bundle(shown, target, limits or BundleLimits(), Path(scratch) / "cache")
        return bundle.write(redacted=redact)


class _Bundle:
    """The pages of one run, each admitted where another one names it, as far as there is room."""

    def __init__(self, run: RunPlace, target: Path, limits: BundleLimits, cache: Path) -> None:
        self._run = run
        self._target = target
        self._limits = limits
        self._sources = open_sources(ResultsTree(run.folder, only=run), cache)
        self._first = PageAddress(("runs", run.id))
        self._admitted = {self._first}
        self._with_query = 0
        self._refused: set[PageAddress] = set()
        self._waiting = deque((self._first,))
        self._files: list[BundledFile] = []
        self._bytes = 0
        self._too_large = 0
        self._not_shown = 0

    def write(self, *, redacted: bool) -> BundleManifest:
        """Write all pages, and the manifest last."""
        (self._target / PAGES).mkdir(parents=True, exist_ok=True)
        for package, name in STYLES:
            self._put(name, resources.files(package).joinpath(name).read_bytes())
        while self._waiting:
            self._write_page(self._waiting.popleft())
        left_out = tuple(self._left_out())
        shown = PageContent("Left out", "left_out.html", {"sentences": left_out})
        self._put(LEFT_OUT, self._document(self._asked(PageAddress(("left_out",))), shown), "")
        manifest = BundleManifest(
            format=FORMAT,
            run=self._run.name,
            redacted=redacted,
            files=tuple(sorted(self._files, key=lambda file: file.path)),
            left_out=left_out,
        )
        (self._target / MANIFEST).write_bytes(pretty_json(manifest))
        return manifest

    def _admit(self, address: PageAddress) -> bool:
        """Return whether a page is in the bundle; it is written later if it was not yet."""
        if address in self._admitted:
            return True
        match = matching_view(address, VIEWS)
        if match is None or not match.view.in_bundle:
            return False
        is_other = match.path.get("run", self._run.id) != self._run.id
        has_room = len(self._admitted) < self._limits.pages
        if address.query:
            has_room = has_room and self._with_query < self._limits.pages // 2
        if is_other or not has_room:
            self._refused.add(address)
            return False
        self._admitted.add(address)
        self._with_query += bool(address.query)
        self._waiting.append(address)
        return True

    def _write_page(self, address: PageAddress) -> None:
        question, match = self._asked(address), matching_view(address, VIEWS)
        if match is None or self._bytes > self._limits.size_bytes:
            self._too_large += 1
            sentences = ("There was no more room for this page.",)
            shown = PageContent("Left out", "left_out.html", {"sentences": sentences})
        else:
            code, shown = answered(
                question._replace(path=match.path), match.view.render, match.view.of
            )
            self._not_shown += code != 200
        path = FIRST if address == self._first else address.file()
        view = None if match is None else match.view
        self._put(path, self._document(question, shown, view), shown.title)

    def _asked(self, address: PageAddress) -> Question:
        links = BundleLinks(self._admit, self._first, address)
        # The navigation is that of the run on every page.
        return Question(self._sources, {"run": self._run.id}, dict(address.query), links)

    def _document(self, question: Question, shown: PageContent, view: View | None = None) -> bytes:
        return document(question, shown, VIEWS, view, is_copy=True).encode()

    def _put(self, path: str, data: bytes, title: str = "") -> None:
        (self._target / path).write_bytes(data)
        self._files.append(BundledFile(path, len(data), sha256_hex(data), title))
        self._bytes += len(data)

    def _left_out(self) -> Iterator[str]:
        yield "Searching, what is live, comparing with other runs, and all that changes a run."
        if self._refused:
            yield (
                f"{counted(len(self._refused), 'page')} beyond the {self._limits.pages} that a "
                "bundle holds at most; links to them lead here."
            )
        if self._too_large:
            yield f"{counted(self._too_large, 'page')} for which there was no more room."
        if self._not_shown:
            yield f"{counted(self._not_shown, 'page')} could not be shown, and say why."


def _redacted(run: Path, scratch: Path) -> RunPlace:
    """Make a redacted copy, as it would come out of an export."""
    copy = scratch / "run"

    def put(path: str, data: bytes) -> None:
        file = copy / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    named = scratch / "results" / pack(run, put, redact=True).run
    named.parent.mkdir(parents=True)
    return place_of(copy.rename(named), scratch / "results")


def _check_target(run: Path, target: Path) -> None:
    if target.resolve().is_relative_to(run.resolve()):
        raise RunUsageError(f"{target} is in the run, which is only read; name another folder")
    if target.is_dir() and not any(target.iterdir()):
        return
    if target.exists() or target.is_symlink():
        raise RunUsageError(f"{target} is there and not an empty folder; name a new one")
    if blocking := in_the_way(target.absolute().parent):
        raise RunUsageError(f"{target}: {blocking} is no folder; name another place")
