import re
import struct
from pathlib import Path

import pytest

from guards.sandboxes.bubblewrap.seccomp import ALLOW, MACHINES, REFUSE, filter_for, numbers
from guards.sandboxes.bubblewrap.system_calls import ABSENT, ALLOWED
from guards.sandboxes.sandbox import SandboxUnavailable
from tests.support.paths import ROOT

EPERM, EINVAL, ENOSYS, EAFNOSUPPORT = 1, 22, 38, 97
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
BY_ARGUMENTS = {"clone", "socket", "socketpair", "ioctl", "fcntl", "madvise"}


def run(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Interpret the filter on one call, as the kernel does."""
    chosen = MACHINES[machine].architecture if architecture is None else architecture
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=IIQ6Q", number, chosen, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", filter_for(machine)))
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
            continue
        tests = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: accumulator & value}
        at += if_true if tests[code] else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_what_the_table_names_passes_and_nothing_else(machine: str) -> None:
    allowed = set(numbers(ALLOWED, machine).values())
    absent = set(numbers(ABSENT, machine).values())
    for number in {*range(1_000), 0x3FFFFFFF, 0x40000000, 0x40000001, 0xFFFFFFFF} - allowed:
        error = ENOSYS if number >= 424 or number in absent else EPERM
        assert run(machine, number) == REFUSE | error, number
    for name in ALLOWED.keys() - BY_ARGUMENTS:
        if (number := numbers(ALLOWED, machine).get(name)) is not None:
            assert run(machine, number) == ALLOW, name


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_a_call_has_good_uses(machine: str) -> None:
    calls = numbers(ALLOWED, machine)
    assert run(machine, calls["clone"], 0x003D0F00) == ALLOW  # a thread
    for flag in (0x20000, 0x02000000, 0x04000000, 0x10000000, 0x20000000, 0x40000000):
        assert run(machine, calls["clone"], flag | 17) == REFUSE | EPERM
    for name in ("socket", "socketpair"):
        assert run(machine, calls[name], 1) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40):
            assert run(machine, calls[name], family) == REFUSE | EAFNOSUPPORT
    assert run(machine, calls["ioctl"], 0, 0x5401) == ALLOW
    for injection in (0x5412, 0x541C):
        assert run(machine, calls["ioctl"], 0, injection) == REFUSE | EPERM
    for command in (0, 2, 4, 6, 38, 1030):  # F_DUPFD, F_SETFD, F_SETFL, F_SETLK, F_OFD_SETLKW
        assert run(machine, calls["fcntl"], 0, command) == ALLOW
    for command in (1024, 1026, 1031, 1033):  # F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS
        assert run(machine, calls["fcntl"], 0, command) == REFUSE | EPERM
    for advice in (4, 8, 14):  # MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE
        assert run(machine, calls["madvise"], 0, 0, advice) == ALLOW
    for advice in (20, 21, 25):  # MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE
        assert run(machine, calls["madvise"], 0, 0, advice) == REFUSE | EINVAL


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].is_file():
        pytest.skip(f"{HEADERS[machine]} is not here")
    text = HEADERS[machine].read_text().replace("__NR3264_fstatat", "__NR_newfstatat")
    header = dict(re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", text, re.MULTILINE))
    newer = {"fchmodat2"}  # than the headers of Debian 12
    table = {**numbers(ALLOWED, machine), **numbers(ABSENT, machine)}
    assert {name: header.get(name) for name in table.keys() - newer} == {
        name: str(number) for name, number in table.items() if name not in newer
    }
    assert len(set(table.values())) == len(table)


def test_calls_of_other_architectures_are_refused() -> None:
    assert run("x86_64", 11, architecture=0x40000003) == REFUSE | EPERM  # 32 bit


def test_the_documentation_counts_what_is_allowed() -> None:
    x86_64, aarch64 = (len(numbers(ALLOWED, machine)) for machine in ("x86_64", "aarch64"))
    text = (ROOT / "docs" / "reference" / "boundary.md").read_text()
    assert f"{x86_64} on x86_64, {aarch64} on aarch64" in text


def test_an_architecture_without_a_table_is_told() -> None:
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        filter_for("riscv64")
