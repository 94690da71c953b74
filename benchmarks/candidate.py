"""One candidate as a run has it before its evaluation: a sandbox, the seed's code, the gates."""

from guards.gates import run_gates
from guards.sandboxes.sandbox import Job, Sandbox
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import runtime_files, seed_files


class Candidate:
    """The seed of one domain."""

    def __init__(self, domain: str = "repo_quality") -> None:
        task = load(domain)
        files = {**seed_files(), **runtime_files(), **task.seed_files()}
        self._job = Job("worker", files)
        self._item = task.smoke_item().inputs

    async def gate(self, sandbox: Sandbox) -> None:
        """Start a sandbox, take the code through the gates, and end it.

        Raises:
            RuntimeError: It did not pass.
        """
        async with sandbox.start(self._job) as running:
            result = await run_gates(running, self._item, "none", 30.0)
        if not result.passed:
            raise RuntimeError(f"the seed failed a gate: {result}")
