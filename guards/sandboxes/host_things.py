"""What a job may have of the host in bubblewrap alone: packages, graphics cards, folders."""

from collections.abc import Collection
from typing import Final

from guards.sandboxes.sandbox import Job, SandboxUnavailable

HAS_THEM: Final = "bubblewrap"


def refuse_things(sandbox: str, job: Job) -> None:
    """Refuse a job that needs something of the host, in a sandbox that can give none of it.

    Raises:
        SandboxUnavailable: It needs something.
    """
    refuse_packages(sandbox, job.packages)
    refuse_cards(sandbox, job.cards)
    _refuse(sandbox, job.folders, "shows no folder of data")


def refuse_packages(sandbox: str, names: Collection[str]) -> None:
    """Refuse Python packages in a sandbox that has none.

    Raises:
        SandboxUnavailable: Some are named.
    """
    _refuse(sandbox, names, f"has Python's standard library alone, and not {', '.join(names)}")


def refuse_cards(sandbox: str, cards: Collection[int]) -> None:
    """Refuse graphics cards in a sandbox that has none.

    Raises:
        SandboxUnavailable: Some are given.
    """
    _refuse(sandbox, cards, "has no graphics card to give")


def _refuse(sandbox: str, needed: Collection[object], lacks: str) -> None:
    if needed and sandbox != HAS_THEM:
        raise SandboxUnavailable(f"the sandbox {sandbox} {lacks}; use {HAS_THEM}")
