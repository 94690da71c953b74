"""Processes of this machine, told apart from later ones of the same number."""

from pathlib import Path


def process_start(pid: int | str) -> str:
    """When a process of this host started, in clock ticks since boot; empty if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("latin-1")  # a name may be any bytes
    except (FileNotFoundError, ProcessLookupError):
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
