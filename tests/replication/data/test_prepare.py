import functools
import json
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from markspace.extras import how_to_install
from replication.data.prepare import main
from tests.support.benchmark_table import as_csv, read_csv, table
from tests.support.command import without
from tests.support.paths import ROOT


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "gradingbench.csv"
    path.write_bytes(table(3))
    return path


@pytest.fixture
def made(source: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "made"
    assert main([str(source), "--out", str(folder), "--other-data"]) == 0
    return folder


@contextmanager
def served(folder: Path) -> Generator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.long
def test_it_writes_three_splits_with_their_licence_and_where_they_come_from(made: Path) -> None:
    names = {path.name for path in made.iterdir()}
    assert names == {"train.csv", "val.csv", "test.csv", "LICENCE.txt", "source.json"}
    assert "CC BY 4.0" in (made / "LICENCE.txt").read_text()
    record = json.loads((made / "source.json").read_text())
    assert record["published"] is False
    assert len(record["source_sha256"]) == 64


def test_a_second_time_there_is_nothing_to_do(
    made: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in made.iterdir()}
    assert main([str(source), "--out", str(made), "--other-data"]) == 0
    assert "nothing to do" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in made.iterdir()} == before


def test_what_a_kill_left_out_is_added(made: Path, source: Path) -> None:
    for name in ("test.csv", "source.json"):
        (made / name).unlink()
    assert main([str(source), "--out", str(made), "--other-data"]) == 0
    assert len(read_csv((made / "test.csv").read_bytes())) == 100
    assert (made / "source.json").exists()


def test_other_data_is_never_overwritten(
    made: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (made / "val.csv").write_text("mine\n")
    (made / "source.json").unlink()
    assert main([str(source), "--out", str(made), "--other-data"]) == 2
    assert "val.csv holds other data; use another --out folder" in capsys.readouterr().err
    assert (made / "val.csv").read_text() == "mine\n"
    assert not (made / "source.json").exists()


@pytest.mark.parametrize("below", ["", "x", "x/y"])
@pytest.mark.parametrize("option", ["--out", "--check"])
def test_a_file_where_a_folder_should_be_is_refused_before_anything_is_made(
    option: str, below: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "afile"
    file.write_text("mine\n")
    assert main([str(source), option, str(file / below), "--other-data"]) == 2
    said = capsys.readouterr()
    assert f"{option} {file / below}: {file} is no folder; name a folder for train.csv" in said.err
    assert said.out == ""
    assert file.read_text() == "mine\n"


@pytest.mark.parametrize("option", ["--out", "--check"])
def test_a_folder_where_a_split_should_be_is_named(
    option: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "dd" / "train.csv").mkdir(parents=True)
    assert main([str(source), option, str(tmp_path / "dd"), "--other-data"]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / 'dd' / 'train.csv'} is no plain file" in said
    assert [path.name for path in (tmp_path / "dd").iterdir()] == ["train.csv"]


def test_a_folder_that_cannot_be_written_is_named(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(source), "--out", "/proc/splits", "--other-data"]) == 1
    assert "/proc/splits/train.csv cannot be written (" in capsys.readouterr().err


def test_a_source_of_other_splits_than_the_published_ones_is_refused(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(source), "--out", str(tmp_path / "out")]) == 1
    message = capsys.readouterr().err
    assert "does not give the published splits (train, val, test differ; it has" in message
    assert not (tmp_path / "out").exists()


def test_a_source_that_hashes_to_something_else_is_refused(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert main([str(source), "--out", out, "--sha256", "0" * 64]) == 1
    assert "--sha256 asks for 000" in capsys.readouterr().err
    assert not Path(out).exists()


def test_a_check_names_the_split_the_row_and_the_column(
    made: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(source), "--check", str(made)]) == 0
    assert f"{made} is the same, row by row" in capsys.readouterr().out
    rows = read_csv((made / "val.csv").read_bytes())
    rows[6]["Response"] += " changed"
    (made / "val.csv").write_bytes(as_csv(rows))
    assert main([str(source), "--check", str(made)]) == 1
    assert f"{made} is different: val: row 7 differs in 'Response'" in capsys.readouterr().err


def test_a_check_counts_rows(made: Path, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = read_csv((made / "test.csv").read_bytes())
    (made / "test.csv").write_bytes(as_csv(rows[:-1]))
    assert main([str(source), "--check", str(made)]) == 1
    assert "test: row 100 is missing there" in capsys.readouterr().err
    (made / "test.csv").write_bytes(as_csv([*rows, rows[0]]))
    assert main([str(source), "--check", str(made)]) == 1
    assert "test: row 101 is one too many there" in capsys.readouterr().err


def test_a_url_is_a_source_too(source: Path, tmp_path: Path) -> None:
    with served(source.parent) as url:
        out = tmp_path / "out"
        assert main([f"{url}/gradingbench.csv", "--out", str(out), "--other-data"]) == 0
    record = json.loads((out / "source.json").read_text())
    assert record["source"] == f"{url}/gradingbench.csv"


def test_a_source_that_does_not_come_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main([str(tmp_path / "none.csv"), *out]) == 2
    assert "there is no file" in capsys.readouterr().err
    with served(tmp_path) as url:
        assert main([f"{url}/none.csv", *out]) == 1
    assert "did not come: Client error '404" in capsys.readouterr().err


def test_without_out_or_check_it_says_what_to_give() -> None:
    command = [sys.executable, "-m", "replication.data.prepare", "nothing.csv"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "give --out DIR to write the splits, or --check DIR" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_the_extra_it_says_what_to_install(source: Path) -> None:
    done = without("pandas", source, "--check", ".", program="replication.data.prepare")
    assert done.returncode == 1
    assert how_to_install("data") in done.stderr
