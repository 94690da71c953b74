"""Archives that somebody else packed: files within their bounds, or words."""

import gzip
import io
import tarfile
import time
import tracemalloc
import zipfile
from string import ascii_letters

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.exports.archives import ArchiveRefused, Kind, find, read, writing

KINDS: tuple[Kind, ...] = ("tar.gz", "tar.zst", "zip")
FILES = {"run/a": b"a" * 1000, "run/" + "long/" * 60 + "\u00e9": b"", "run/export.json": b"{}"}
SIZES = {path: len(data) for path, data in FILES.items()}


def packed(kind: Kind) -> bytes:
    file = io.BytesIO()
    with writing(file, kind) as put:
        for path, data in FILES.items():
            put(path, data)
    return file.getvalue()


def tarred(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for entry, data in entries:
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(file.getvalue(), 1)


def entry_of(name: str, form: bytes = tarfile.REGTYPE, size: int = 0) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.size, entry.linkname = form, size, "/etc/passwd"
    return entry


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_written_is_read(kind: Kind) -> None:
    assert dict(read(io.BytesIO(packed(kind)), kind, SIZES)) == FILES
    found = find(io.BytesIO(packed(kind)), kind, lambda path: path.endswith(".json"), 2, 2000)
    assert found == b"{}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cut_anywhere_is_refused_or_lacks_files(kind: Kind) -> None:
    whole = packed(kind)
    for end in range(0, len(whole) - 1, 7):
        try:
            files = dict(read(io.BytesIO(whole[:end]), kind, SIZES))
        except ArchiveRefused as refused:
            assert str(refused)
        else:
            assert len(files) < len(FILES) or end > len(whole) - 40  # only a checksum is missing


@pytest.mark.parametrize("kind", KINDS)
@given(more=st.text(ascii_letters, min_size=4))
def test_what_stands_behind_its_end_is_told(kind: Kind, more: str) -> None:
    with pytest.raises(ArchiveRefused, match="more behind its end"):
        list(read(io.BytesIO(packed(kind) + more.encode()), kind, SIZES))


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_archive_behind_its_end_is_told(kind: Kind) -> None:
    with pytest.raises(ArchiveRefused):
        list(read(io.BytesIO(packed(kind) + packed(kind)), kind, SIZES))


@pytest.mark.parametrize("kind", KINDS)
@given(at=st.integers(0, 10_000), value=st.binary(min_size=1, max_size=8))
def test_whatever_was_changed_in_it_nothing_raw_leaves(kind: Kind, at: int, value: bytes) -> None:
    whole = packed(kind)
    at %= len(whole)
    changed = whole[:at] + value + whole[at + len(value) :]
    try:
        for path, data in read(io.BytesIO(changed), kind, SIZES):
            assert len(data) <= SIZES[path]
    except ArchiveRefused as refused:
        assert str(refused)


@pytest.mark.parametrize(
    "form",
    [
        tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE,
        tarfile.BLKTYPE,
    ],
)  # fmt: skip
def test_nothing_but_files_is_taken(form: bytes) -> None:
    with pytest.raises(ArchiveRefused, match="is no file"):
        list(read(io.BytesIO(tarred((entry_of("run/a", form), b""))), "tar.gz", SIZES))


def test_a_link_in_a_zip_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo("run/a")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(ArchiveRefused, match="is no file"):
        list(read(file, "zip", SIZES))


@pytest.mark.parametrize("name", ["/etc/passwd", "run/../../up", "run/b", "run", ""])
def test_a_name_that_is_not_listed_is_refused(name: str) -> None:
    with pytest.raises(ArchiveRefused, match="which its list does not have"):
        list(read(io.BytesIO(tarred((entry_of(name), b""))), "tar.gz", SIZES))


def test_more_than_is_listed_is_refused_before_it_is_unpacked() -> None:
    zeros = bytes(64 * 1024**2)
    bomb = tarred((entry_of("run/a", size=len(zeros)), zeros))
    header = tarred((entry_of("x" * 200, size=0), b""), form=tarfile.GNU_FORMAT)
    raw = bytearray(gzip.decompress(header))
    raw[124:136] = b"00400000000\0"  # the long name has 64 MiB
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    long_name = gzip.compress(bytes(raw[:512]) + zeros, 1)
    for archive in (bomb, long_name):
        tracemalloc.start()
        start = time.process_time()
        with pytest.raises(ArchiveRefused, match=r"its list says 1,000|larger than any"):
            list(read(io.BytesIO(archive), "tar.gz", SIZES))
        with pytest.raises(ArchiveRefused, match=r"before its list|larger than any"):
            find(io.BytesIO(archive), "tar.gz", lambda path: path == "run/export.json", 2, 2000)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024**2
        tracemalloc.stop()
        assert time.process_time() - start < 2.0


def test_a_list_that_is_too_long_is_not_read() -> None:
    with pytest.raises(ArchiveRefused, match="a list of 2 bytes"):
        find(io.BytesIO(packed("zip")), "zip", lambda path: path.endswith(".json"), 1, 2000)
