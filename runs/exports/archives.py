"""Archives whose bytes follow from their content: sorted by the caller, fixed times and owners."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast

from evolution.errors import LibraryMissing, RunUsageError

Put = Callable[[str, bytes], None]
Kind = Literal["tar.gz", "tar.zst", "zip"]
ENDINGS: Final[dict[str, Kind]] = {
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".tar.zst": "tar.zst",
    ".zip": "zip",
}
_MODE: Final = 0o644
_ZIP_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def kind_of(path: Path) -> Kind:
    """Tell the kind of an archive from its name.

    Raises:
        RunUsageError: The name has no ending that we know, or what it needs is not installed.
    """
    for ending, kind in ENDINGS.items():
        if path.name.endswith(ending):
            if kind == "tar.zst":
                _zstandard()
            return kind
    raise RunUsageError(f"{path} has no known ending; use one of {', '.join(ENDINGS)}")


@contextmanager
def writing(file: BinaryIO, kind: Kind) -> Generator[Put]:
    """Write an archive while the context lasts; files are put in the order of calls."""
    if kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            yield lambda path, data: archive.writestr(_zip_entry(path), data)
        return
    with (
        _compressing(file, kind) as stream,
        tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        yield lambda path, data: archive.addfile(_tar_entry(path, data), io.BytesIO(data))


def read(file: BinaryIO, kind: Kind) -> Iterator[tuple[str, bytes]]:
    """Return the files of an archive, in its order."""
    if kind == "zip":
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                yield name, archive.read(name)
        return
    with _decompressing(file, kind) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            content = archive.extractfile(member)
            yield member.name, b"" if content is None else content.read()


def _compressing(file: BinaryIO, kind: Kind) -> AbstractContextManager[BinaryIO]:
    if kind == "tar.gz":
        gzipped = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        return cast("AbstractContextManager[BinaryIO]", gzipped)
    return _zstandard().ZstdCompressor(level=10).stream_writer(file, closefd=False)


def _decompressing(file: BinaryIO, kind: Kind) -> AbstractContextManager[BinaryIO]:
    if kind == "tar.gz":
        return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile(fileobj=file))
    return _zstandard().ZstdDecompressor().stream_reader(file, closefd=False)


def _zstandard() -> Any:
    try:
        return import_module("zstandard")
    except ImportError as error:
        needs = f"a .tar.zst needs zstandard ({error})"
        raise LibraryMissing(needs, "zstd", "use .tar.gz or .zip") from error


def _tar_entry(path: str, data: bytes) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(data), _MODE
    return entry  # time 0, owner 0 without a name


def _zip_entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _ZIP_EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | _MODE) << 16
    entry.create_system = 3  # Unix, whatever this machine is
    return entry
