"""A bundle: the pages of one run as files, whole by themselves, listed with their hashes."""

import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.dashboard.bundle.addresses import BundleLinks, PageAddress, matching_view
from hyperspace.dashboard.bundle.write import MANIFEST, BundleLimits, write_bundle
from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.files import content_sha256, tree_hashes
from tests.hyperspace.dashboard.bundle.reading import dead_links, pages
from tests.replication.report.runs import ours, solo
from tests.support.command import failed, hyperspace

HOSTILE = '<script>alert(1)</script>"../../../etc'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ours(tmp_path_factory.mktemp("results"), "plain", 7, [0.2, 0.4, None, 0.5])


@pytest.fixture(scope="module")
def bundle(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("bundles") / "pages"
    write_bundle(run, target)
    return target


def manifest_of(bundle: Path) -> dict[str, Any]:
    return json.loads((bundle / MANIFEST).read_text())


def test_every_link_leads_to_a_file_of_the_bundle(bundle: Path) -> None:
    assert len(pages(bundle)) > 1
    assert dead_links(bundle) == []


def test_pages_have_no_script_and_a_policy_of_their_own(bundle: Path) -> None:
    for outline in pages(bundle).values():
        tags = {tag for tag, _ in outline.tags}
        assert tags.isdisjoint({"script", "iframe", "object", "embed"})
        policies = [a.get("content") for _, a in outline.tags if "http-equiv" in a]
        assert policies and str(policies[0]).startswith("default-src 'none'; style-src")


def test_the_manifest_lists_every_file_with_its_hash(bundle: Path) -> None:
    manifest = manifest_of(bundle)
    listed = {file["path"]: file["sha256"] for file in manifest["files"]}
    there = {p.relative_to(bundle).as_posix() for p in bundle.rglob("*") if p.is_file()}
    assert there == {*listed, MANIFEST}
    assert all(content_sha256(bundle / path) == digest for path, digest in listed.items())
    assert manifest["run"] == "mix/plain/seed7" and manifest["redacted"] is False


def test_the_same_run_makes_the_same_bundle(run: Path, bundle: Path, tmp_path: Path) -> None:
    write_bundle(run, tmp_path / "again")
    assert tree_hashes(tmp_path / "again") == tree_hashes(bundle)


def test_the_run_is_only_read(run: Path, tmp_path: Path) -> None:
    before = tree_hashes(run)
    write_bundle(run, tmp_path / "bundle")
    assert tree_hashes(run) == before


def test_beyond_its_limits_pages_are_left_out_and_that_is_said(run: Path, tmp_path: Path) -> None:
    few = write_bundle(run, tmp_path / "few", limits=BundleLimits(pages=1))
    assert "beyond the 1 that a bundle holds" in " ".join(few.left_out)
    small = write_bundle(run, tmp_path / "small", limits=BundleLimits(size_bytes=10))
    assert "no more room" in " ".join(small.left_out)
    for name in ("few", "small"):
        assert dead_links(tmp_path / name) == []
        left_out = pages(tmp_path / name)["pages/left_out.html"]
        assert "comparing with other runs" in left_out.text


def test_only_half_of_the_pages_have_a_query() -> None:
    other, plain = PageAddress(("runs", "x"), (("from", "2"),)), PageAddress(("runs", "x"))
    assert other.file() != plain.file()
    assert PageAddress(("a", "b/c")).file() != PageAddress(("a", "b", "c")).file()


def test_names_of_files_are_plain_whatever_a_part_is() -> None:
    first = PageAddress(("runs", "x"))
    links = BundleLinks(lambda _: True, first, first)
    for part in (HOSTILE, "..", "/", "x" * 400, "\udcff", "é\n"):
        address = links.page("runs", "x", "agents", part, q=part.replace("\udcff", ""))
        assert address.startswith("pages/") and address.count("/") == 1
        assert address.isascii() and len(address) < 120 and ".." not in address


def test_addresses_find_their_views_as_the_server_does() -> None:
    match = matching_view(PageAddress(("runs", "abc")), VIEWS)
    assert match is not None and match.view.name == "run" and match.path == {"run": "abc"}
    assert matching_view(PageAddress(("api", "runs")), VIEWS) is None
    root = matching_view(PageAddress(()), VIEWS)
    assert root is not None and root.view.path == "/"


def test_a_hostile_name_stays_text(tmp_path: Path) -> None:
    run = solo(tmp_path, HOSTILE.replace("/", "_"), 1, [0.1, 0.2])
    write_bundle(run, tmp_path / "bundle")
    assert dead_links(tmp_path / "bundle") == []
    assert "<script" not in (tmp_path / "bundle" / "index.html").read_text()


def test_a_folder_in_use_no_run_and_the_run_itself_are_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for target in (tmp_path / "used", tmp_path / "used" / "file", tmp_path / "link"):
        with pytest.raises(RunUsageError, match="not an empty folder"):
            write_bundle(run, target)
    with pytest.raises(RunUsageError, match="is no folder"):
        write_bundle(run, tmp_path / "used" / "file" / "below")
    with pytest.raises(RunUsageError, match="is in the run"):
        write_bundle(run, run / "pages")
    with pytest.raises(RunUsageError, match="is no run"):
        write_bundle(tmp_path / "nowhere", tmp_path / "bundle")


@pytest.mark.long
def test_the_command_writes_it_and_says_what_is_left_out(run: Path, tmp_path: Path) -> None:
    done = hyperspace("dashboard", "--bundle", run, "--out", tmp_path / "bundle")
    assert done.returncode == 0, done.stderr
    assert f"open {tmp_path / 'bundle' / 'index.html'}" in done.stdout
    assert "left out: Searching" in done.stdout
    assert "needs --out DIR" in failed(hyperspace("dashboard", "--bundle", run), 2)
    assert "name the run" in failed(hyperspace("dashboard", "--redact"), 2)


@pytest.mark.long
@pytest.mark.parametrize(
    "option", [("--steer",), ("--port", "0"), ("--host", "::1"), ("--open",), ("results",)]
)
def test_what_is_for_a_server_is_refused_where_files_are_written(
    run: Path, tmp_path: Path, option: tuple[str, ...]
) -> None:
    written = ("--bundle", run, "--out", tmp_path / "bundle")
    message = failed(hyperspace("dashboard", *option, *written), 2)
    assert option[0].replace("results", "RESULTS") in message and "served" in message
    assert not (tmp_path / "bundle").exists()
    assert "served" in failed(hyperspace("dashboard", *option, "--openapi"), 2)
    assert "alone" in failed(hyperspace("dashboard", *written, "--openapi"), 2)


@pytest.mark.long
def test_the_command_prints_the_description_of_the_api() -> None:
    done = hyperspace("dashboard", "--openapi")
    assert json.loads(done.stdout)["openapi"] == "3.1.0"
