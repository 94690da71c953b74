"""Archives whose bytes follow from their content: sorted by the caller, fixed times and owners.

What is read may come from anybody: nothing but files counts, each within the bound that its name
has, and no more is unpacked at a time than that.
"""

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, cast

from guards.scope.changes import printable
from hyperspace.kernel.errors import LibraryMissing, RunUsageError

Put = Callable[[str, bytes], None]
Kind = Literal["tar.gz", "tar.zst", "zip"]
ENDINGS: Final[dict[str, Kind]] = {
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".tar.zst": "tar.zst",
    ".zip": "zip",
}
_MODE: Final = 0o644
_HEADER_BYTES: Final = 1 << 17  # between files: padding, headers, what the reader reads ahead
_PADDING_BYTES: Final = 1 << 20  # zeros behind the last file of a tape
_ZIP_END: Final = b"PK\5\6"  # of the record that ends an archive
_ZIP_END_BYTES: Final = 22  # its size, without its comment
_MORE: Final = "has more behind its end; whoever made it packed it otherwise"
_SHOWN: Final = 200
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


class ArchiveRefused(Exception):
    """An archive is not taken; the message is the end of a sentence about it."""


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


def read(file: BinaryIO, kind: Kind, most_bytes: Mapping[str, int]) -> Generator[tuple[str, bytes]]:
    """Return the files of an archive, in its order.

    Args:
        file: The archive.
        kind: How it is packed.
        most_bytes: What may be in it, by path: the largest size.

    Raises:
        ArchiveRefused: It is cut or damaged, or holds something else, or more.
    """
    for member in _members(file, kind):
        most = most_bytes.get(member.path)
        if most is None:
            raise ArchiveRefused(f"holds {member.path[:_SHOWN]!r}, which its list does not have")
        if member.size_bytes > most:
            raise ArchiveRefused(
                f"holds {member.path[:_SHOWN]!r} of {member.size_bytes:,} bytes, and its list says "
                f"{most:,}"
            )
        yield member.path, member.content()


def find(
    file: BinaryIO, kind: Kind, is_it: Callable[[str], bool], most_bytes: int, most_unpacked: int
) -> bytes:
    """Return the content of the first file of an archive whose path will do.

    Args:
        file: The archive.
        kind: How it is packed.
        is_it: Says whether a path will do.
        most_bytes: Largest size of the file.
        most_unpacked: How many bytes are passed over before it.

    Raises:
        ArchiveRefused: There is none, or too much before it; it is cut, or damaged.
    """
    passed_over = 0
    for member in _members(file, kind):
        if is_it(member.path):
            if member.size_bytes > most_bytes:
                raise ArchiveRefused(f"holds a list of {member.size_bytes:,} bytes")
            return member.content()
        passed_over += member.size_bytes
        if passed_over > most_unpacked:
            raise ArchiveRefused(f"holds more than {most_unpacked:,} bytes before its list")
    raise ArchiveRefused("has no list of its files")


class _Member(NamedTuple):
    """A file of an archive; its content can be read until the next one is asked for."""

    path: str
    size_bytes: int
    content: Callable[[], bytes]


def _members(file: BinaryIO, kind: Kind) -> Generator[_Member]:
    """Return the files of an archive one by one; whoever is given one checks its size.

    Raises:
        ArchiveRefused: It is cut or damaged, or holds what is no file.
    """
    members = _of_zip(file) if kind == "zip" else _of_tar(file, kind)
    while True:
        try:
            member = next(members, None)
        except (ArchiveRefused, LibraryMissing):
            raise
        except Exception as error:  # what somebody else packed can fail its readers in any way
            raise ArchiveRefused(f"cannot be read: {printable(str(error))[:_SHOWN]}") from error
        if member is None:
            return
        yield member._replace(content=partial(_content, member))


def _content(member: _Member) -> bytes:
    try:
        content = member.content()
    except Exception as error:  # as above
        raise ArchiveRefused(f"cannot be read: {printable(str(error))[:_SHOWN]}") from error
    if len(content) != member.size_bytes:
        raise ArchiveRefused(f"is cut in {member.path[:_SHOWN]!r}")
    return content


def _of_zip(file: BinaryIO) -> Generator[_Member]:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            form = stat.S_IFMT(info.external_attr >> 16)  # 0 where it was packed says none
            if info.is_dir() or form not in (0, stat.S_IFREG):
                raise ArchiveRefused(f"holds {info.filename[:_SHOWN]!r}, which is no file")
            yield _Member(info.filename, info.file_size, partial(_unzipped, archive, info))
        file.seek(-_ZIP_END_BYTES - len(archive.comment), os.SEEK_END)
        if file.read(len(_ZIP_END)) != _ZIP_END:
            raise ArchiveRefused(_MORE)
        if min((info.header_offset for info in archive.infolist()), default=0):
            raise ArchiveRefused("has more before its begin; whoever made it packed it otherwise")


def _unzipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as file:
        return file.read(info.file_size + 1)


def _of_tar(file: BinaryIO, kind: Kind) -> Generator[_Member]:
    with _decompressing(file, kind) as stream:
        metered = _Metered(stream)
        readable = cast("BinaryIO", metered)
        with tarfile.open(fileobj=readable, mode="r|") as archive:
            for entry in archive:
                if not entry.isreg() or entry.issparse():
                    raise ArchiveRefused(f"holds {entry.name[:_SHOWN]!r}, which is no file")
                metered.left_bytes = entry.size + _HEADER_BYTES
                yield _Member(entry.name, entry.size, partial(_untarred, archive, entry))
        metered.left_bytes = _PADDING_BYTES
        while data := metered.read(_PADDING_BYTES):
            if data.strip(b"\0"):
                raise ArchiveRefused(_MORE)


def _untarred(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> bytes:
    content = archive.extractfile(entry)
    return b"" if content is None else content.read()


class _Metered:
    """A stream of which no more is read than is expected: `tarfile` believes what headers say."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.left_bytes = _HEADER_BYTES
        self._has_begun = False

    def read(self, size: int) -> bytes:
        """Read so much, or less.

        Raises:
            ArchiveRefused: It was read beyond its end.
        """
        try:
            data = self._stream.read(size)
        except Exception as error:  # a reader of compressed data can fail in any way
            if not self._has_begun:
                raise
            raise ArchiveRefused(
                f"is damaged, or has more behind its end: {printable(str(error))[:_SHOWN]}"
            ) from error
        self._has_begun = True
        self.left_bytes -= len(data)
        if self.left_bytes < 0:
            raise ArchiveRefused("has a header, or an end, that is larger than any")
        return data


def _compressing(file: BinaryIO, kind: Kind) -> AbstractContextManager[BinaryIO]:
    if kind == "tar.gz":
        gzipped = gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
        return cast("AbstractContextManager[BinaryIO]", gzipped)
    return _zstandard().ZstdCompressor(level=10).stream_writer(file, closefd=False)


def _decompressing(file: BinaryIO, kind: Kind) -> AbstractContextManager[BinaryIO]:
    if kind == "tar.gz":
        return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile(fileobj=file))
    return (
        _zstandard().ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False)
    )


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
