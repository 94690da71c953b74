"""Scoring sandboxes: fresh ones, without a broker, in which code of an answer runs to be judged.

The sandbox gets the answer's files and inputs, and gives back what was printed; expected answers
stay on the host.
"""

from collections.abc import Sequence

import msgspec

from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxEnded
from hyperspace.tasks.shapes.verified import Executed, Execution, Runner

WALL_S = 60.0  # stops what sleeps; what computes is ended by its CPU seconds before
SPARE_CPU_S = 60  # the kernel's bound on our own program, which sets that of each command
LIMITS = Limits(wall_s=WALL_S, memory_bytes=1024**3)
PYTHON = "{python}"
# Address space that a program reserves before it does anything: far more than it uses.
MEMORY_BYTES = {"node": 4 * 1024**3, "java": 4 * 1024**3, "javac": 4 * 1024**3}
WORDS = {
    "exited": "ended its sandbox",
    "wall_clock": f"ran longer than {WALL_S:g} s",
    "output": "flooded the sandbox's log",
    "protocol": "broke the sandbox's protocol",
}


def runner(sandbox: Sandbox, label: str) -> Runner:
    """Return what runs each execution in a fresh sandbox.

    It raises SandboxError if a sandbox cannot do its part; whatever the code does becomes an
    `Executed`, in which nothing but `stdout` is of the code's choosing.

    Args:
        sandbox: Where the code runs.
        label: Names the run, so that leftovers can be found.
    """

    async def run(execution: Execution) -> Executed:
        job = Job(
            "score",
            execution.files,
            limits=limits_for(execution),
            label=label,
            tools=tools_of(execution.steps),
        )
        frame = {
            "op": "execute",
            "steps": execution.steps,
            "stdin": execution.stdin,
            "cpu_s": execution.cpu_s,
            "output_characters": execution.output_characters,
        }
        try:
            async with sandbox.start(job) as running:
                reply = await running.request(frame, WALL_S)
                return msgspec.convert(reply, Executed)
        except SandboxEnded as ended:
            return Executed("", f"the program {WORDS.get(ended.reason, WORDS['exited'])}")
        except msgspec.ValidationError:  # forged, in a sandbox that is no boundary
            return Executed("", f"the program {WORDS['protocol']}")

    return run


def tools_of(steps: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Programs of the host that commands begin with; what has a slash is the answer's own."""
    first = (step[0] for step in steps if step)
    return tuple(dict.fromkeys(word for word in first if word != PYTHON and "/" not in word))


def limits_for(execution: Execution) -> Limits:
    """Bounds of the sandbox of an execution."""
    memory = (MEMORY_BYTES.get(tool, LIMITS.memory_bytes) for tool in tools_of(execution.steps))
    return msgspec.structs.replace(
        LIMITS,
        cpu_s=execution.cpu_s + SPARE_CPU_S,
        memory_bytes=max(memory, default=LIMITS.memory_bytes),
    )
