"""Settings of a container: what code inside can see, do and use."""

import os
import platform
from pathlib import Path

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.boot import ENVIRONMENT, ResourceLimits, init_command, resource_limits, source
from guards.sandboxes.bubblewrap.confinement import (
    BROKER,
    WORKSPACE,
    inodes,
    sandbox_uid,
    tree_memory_bytes,
)
from guards.sandboxes.bubblewrap.seccomp import filter_for
from guards.sandboxes.docker.image import IMAGE
from guards.sandboxes.sandbox import Job, Limits
from guards.sandboxes.sweep import marker

Settings = dict[str, object]

LABEL = "hyperspace.sandbox"
PYTHON = "/usr/bin/python3"
PRIVATE = "/tmp"  # noqa: S108 -- inside, not ours
FEWEST_PROCESSES = 16  # the runtime itself needs some to start the first
ONE_PROCESSOR = 10**9
# Counted per user, and all sandboxes share one; the container's own count is exact.
NOT_LIMITED = "RLIMIT_NPROC"
# Shown empty. A list of ours replaces the daemon's, so the kernel's indiscretions are here too;
# what the daemon itself puts below /etc tells of the host.
MASKED = (
    *("/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys"),
    *("/proc/latency_stats", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list"),
    *("/proc/timer_stats", "/sys", "/etc/hostname", "/etc/hosts", "/etc/resolv.conf"),
)


def process_limits(limits: Limits, without: Without = ALL_IN_FORCE) -> ResourceLimits:
    """Resource limits of each process inside; those of the whole container come beside them."""
    bounds = resource_limits(limits, without)
    return {name: pair for name, pair in bounds.items() if name != NOT_LIMITED}


def container_settings(job: Job, broker: Path | None, without: Without = ALL_IN_FORCE) -> Settings:
    """The container, in the words of the daemon's interface (`/containers/create`).

    Args:
        job: What runs in it.
        broker: Host folder with its broker's socket; None for no broker.
        without: Defences that a test has taken away.
    """
    user = container_user()
    variables = {**ENVIRONMENT, "HOME": PRIVATE, "PATH": "/usr/bin:/bin"}
    if broker:
        variables["HYPERSPACE_BROKER"] = f"{BROKER}/s"
    return {
        "Image": IMAGE,
        "Cmd": _command(without),
        "User": f"{user}:{user}",
        "Hostname": "hyperspace",
        "WorkingDir": WORKSPACE,
        "Env": [f"{key}={value}" for key, value in sorted(variables.items())],
        "Labels": {LABEL: marker(job.label)},
        # Its input ends when we do, and it ends with its input.
        **{"OpenStdin": True, "StdinOnce": True, "AttachStdin": True},
        **{"AttachStdout": True, "AttachStderr": True, "Tty": False},
        "NetworkDisabled": Defence.NETWORK not in without,
        "HostConfig": {**_host_settings(job, user, broker), **_taken_away(without)},
    }


def container_user() -> int:
    """Host user that the container's processes run as: nobody's, or our own if we are not root."""
    uid = sandbox_uid()
    return os.getuid() if uid is None else uid


def _host_settings(job: Job, user: int, broker: Path | None) -> Settings:
    memory = tree_memory_bytes(job.limits)  # and swap would be memory without a limit
    sizes = f"size={job.limits.disk_bytes},nr_inodes={inodes(job.limits)}"
    tmpfs = f"rw,exec,nosuid,nodev,{sizes},mode=0755,uid={user},gid={user}"
    bind = {"Type": "bind", "Source": str(broker), "Target": BROKER, "ReadOnly": True}
    return {
        "NetworkMode": "none",
        "IpcMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges"],
        "MaskedPaths": list(MASKED),
        "Tmpfs": dict.fromkeys((WORKSPACE, PRIVATE), tmpfs),
        "Mounts": [bind] if broker else [],
        "LogConfig": {"Type": "none"},
        "Memory": memory,
        "MemorySwap": memory,
        "PidsLimit": max(job.limits.processes, FEWEST_PROCESSES),
        "NanoCpus": ONE_PROCESSOR,
    }


def _taken_away(without: Without) -> Settings:
    settings: Settings = {}
    if Defence.SECCOMP in without:
        settings["SecurityOpt"] = ["no-new-privileges", "seccomp=unconfined"]
    if Defence.NETWORK in without:
        settings["NetworkMode"] = "host"
    return settings


def _command(without: Without) -> list[str]:
    python, *options, init = init_command(PYTHON)
    before = source("contained")
    # Only root can look into a process whose memory is closed, and we have to.
    close = "0" if sandbox_uid() is None else "1"
    calls = b"" if Defence.SECCOMP in without else filter_for(platform.machine())
    return [python, *options, before, calls.hex(), close, init]
