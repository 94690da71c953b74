"""Without the libraries of an extra: what to install, in one sentence, and exit code 1."""

import subprocess
import sys
from pathlib import Path

import pytest

from markspace.extras import how_to_install, libraries_of
from tests.support.command import PAIR, failed, pair, without


def refused(done: subprocess.CompletedProcess[str], extra: str) -> str:
    message = failed(done, 1)
    assert libraries_of(extra)
    assert how_to_install(extra) in message
    assert sys.executable in message
    assert len(done.stderr.strip().splitlines()) == 1
    return message


def test_parquet_needs_pyarrow(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    options = ("--format", "parquet", "--output", target)
    message = refused(without("pyarrow", "space", "export", file, *options), "parquet")
    assert message.endswith("or use --format jsonl")
    assert not target.exists()


@pytest.mark.long
def test_a_zstandard_archive_needs_zstandard(tmp_path: Path) -> None:
    run = pair(tmp_path, generations=1)["run"]
    target = tmp_path / "run.tar.zst"
    message = refused(without("zstandard", "export", run, "--out", target), "zstd")
    assert message.endswith("or use .tar.gz or .zip")
    assert not target.exists()


@pytest.mark.long
def test_spans_need_opentelemetry(tmp_path: Path) -> None:
    options = ("--generations", "1", "--otel", "--results", tmp_path)
    refused(without("opentelemetry.sdk", "pair", *PAIR, *options), "otel")


def test_a_space_in_postgresql_needs_psycopg() -> None:
    url = "postgresql://ann@/db?host=/nowhere&space=mine"
    refused(without("psycopg", "space", "stats", url), "postgres")


def test_the_published_robots_need_genesis() -> None:
    done = without("genesis", "domains", "genesis_go2walking")
    message = failed(done, 2)
    assert message.startswith("hyperspace: genesis_go2walking needs genesis")
    assert message.endswith(how_to_install("genesis"))


def test_the_nodes_of_a_cluster_need_ray() -> None:
    assert "without --executor" in refused(without("ray", "workers"), "ray")
