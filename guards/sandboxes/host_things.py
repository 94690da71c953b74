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
    if job.folders:
        raise SandboxUnavailable(f"the sandbox {sandbox} shows no folder of data; use {HAS_THEM}")


def refuse_packages(sandbox: str, names: Collection[str]) -> None:
    """Refuse Python packages in a sandbox that has none.

    Raises:
        SandboxUnavailable: Some are named.
    """
    if names and sandbox != HAS_THEM:
        raise SandboxUnavailable(
            f"the sandbox {sandbox} has Python's standard library alone, and not "
            f"{', '.join(names)}; use {HAS_THEM}"
        )


def refuse_cards(sandbox: str, cards: Collection[int]) -> None:
    """Refuse graphics cards in a sandbox that has none.

    Raises:
        SandboxUnavailable: Some are given.
    """
    if cards and sandbox != HAS_THEM:
        raise SandboxUnavailable(
            f"the sandbox {sandbox} has no graphics card to give; use {HAS_THEM}"
        )
