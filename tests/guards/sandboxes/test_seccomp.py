import struct

import pytest

from guards.sandboxes.bubblewrap.seccomp import ALLOW, CALLS, MACHINES, REFUSE, filter_for
from guards.sandboxes.sandbox import SandboxUnavailable

EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97


def run(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """Interpret the filter on one call, as the kernel does."""
    chosen = MACHINES[machine].architecture if architecture is None else architecture
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("=iIQ6Q", number, chosen, 0, *padded)
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
def test_refused_calls_are_refused_and_others_pass(machine: str) -> None:
    for numbers in CALLS.values():
        number = numbers[list(MACHINES).index(machine)]
        assert run(machine, number) == REFUSE | EPERM
    for harmless in (434, 436, 437, 439):  # pidfd_open, close_range, openat2, faccessat2
        assert run(machine, harmless) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_a_call_has_good_uses(machine: str) -> None:
    calls = MACHINES[machine]
    assert run(machine, calls.clone, 0x003D0F00) == ALLOW  # a thread
    for flag in (0x20000, 0x02000000, 0x04000000, 0x10000000, 0x20000000, 0x40000000):
        assert run(machine, calls.clone, flag | 17) == REFUSE | EPERM
    assert run(machine, 435) == REFUSE | ENOSYS
    for call in (calls.socket, calls.socketpair):
        assert run(machine, call, 1) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40):
            assert run(machine, call, family) == REFUSE | EAFNOSUPPORT
    assert run(machine, calls.ioctl, 0, 0x5401) == ALLOW
    assert run(machine, calls.ioctl, 0, 0x5412) == REFUSE | EPERM


def test_calls_of_other_architectures_are_refused() -> None:
    assert run("x86_64", 11, architecture=0x40000003) == REFUSE | EPERM  # 32 bit
    assert run("x86_64", 0x40000000 + 1) == REFUSE | ENOSYS  # x32


def test_an_architecture_without_a_table_is_told() -> None:
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        filter_for("riscv64")
