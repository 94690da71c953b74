"""Where the benchmark's table comes from: a file or a URL, with its checksum."""

from pathlib import Path
from typing import Final, NamedTuple

from guards.scope.regular_files import Unreadable, read_given
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.files import sha256_hex

BENCHMARK: Final = (
    "https://raw.githubusercontent.com/google-deepmind/superhuman/main/imobench/gradingbench.csv"
)
MOST_BYTES: Final = 64 * 1024**2
TIMEOUT_S: Final = 60.0


class SourceError(RunError):
    """The table did not come, or is another one than was asked for."""


class BenchmarkFile(NamedTuple):
    """The benchmark's table as it came.

    Attributes:
        address: The path or URL.
        data: Its bytes.
        sha256: Their hash.
    """

    address: str
    data: bytes
    sha256: str


def fetch(address: str, sha256: str | None = None) -> BenchmarkFile:
    """Read the table.

    Args:
        address: A path, or an http(s) URL.
        sha256: What it must hash to; None takes what comes.

    Raises:
        RunUsageError: There is no such file.
        SourceError: It cannot be read, is larger than 64 MiB, or hashes to something else.
    """
    is_url = address.startswith(("http://", "https://"))
    data = _download(address) if is_url else _read(Path(address))
    source = BenchmarkFile(address, data, sha256_hex(data))
    if sha256 is not None and source.sha256 != sha256.lower():
        raise SourceError(
            f"{address} has the SHA-256 {source.sha256}, and --sha256 asks for {sha256.lower()}; "
            "nothing was written"
        )
    return source


def _read(path: Path) -> bytes:
    try:
        return read_given(path, MOST_BYTES)
    except Unreadable as reason:
        if reason.is_missing:
            raise RunUsageError(
                f"there is no file {path}; give the benchmark's gradingbench.csv or its URL"
            ) from reason
        raise SourceError(f"{path} {reason}") from reason


def _download(url: str) -> bytes:
    import httpx2

    data = b""
    try:
        with httpx2.stream("GET", url, follow_redirects=True, timeout=TIMEOUT_S) as answer:
            answer.raise_for_status()
            for part in answer.iter_bytes():
                data = _bounded(data + part, url)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise SourceError(
            f"{url} did not come: {error}; download it in another way and give its path"
        ) from error
    return data


def _bounded(data: bytes, address: str) -> bytes:
    if len(data) > MOST_BYTES:
        raise SourceError(
            f"{address} is larger than {MOST_BYTES // 1024**2} MiB: not the benchmark"
        )
    return data
