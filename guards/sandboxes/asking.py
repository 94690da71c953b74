"""What a program of the host prints when it is asked what sandboxes need to know."""

import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from guards.sandboxes.sandbox import SandboxUnavailable

_PATIENCE_S: Final = 120.0


def asked(
    command: Sequence[str], sought: str, failed: str, env: Mapping[str, str] | None = None
) -> bytes:
    """Run a program of the host, and return what it printed.

    Args:
        command: The command line.
        sought: What it looks for, as the start of a sentence.
        failed: What its failure means, as the start of a sentence that its last words end.
        env: Its environment; ours if not given.

    Raises:
        SandboxUnavailable: It could not be run, or failed.
    """
    try:
        done = subprocess.run(
            command, env=env, cwd="/", capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxUnavailable(f"{sought} cannot be looked for: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise SandboxUnavailable(f"{failed}: {said[-1][:300]}")
    return done.stdout
