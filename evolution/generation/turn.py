"""A turn that loses its sandbox is played again, as a resume would play it.

What holds a sandbox can be killed under it, by the kernel when memory runs out. Its candidate is
not to blame, and the record must not say so.
"""

from collections.abc import Awaitable, Callable

from evolution.exception_groups import unwrap_single_error
from evolution.generation.run_context import Participant, RunContext
from guards.sandboxes.sandbox import SandboxLost

MOST_TRIES = 3  # where sandboxes are lost again and again, a person has to look


async def take_turn(
    context: RunContext, who: Participant, name: str, play: Callable[[], Awaitable[None]]
) -> None:
    """Play a turn; each try that loses its sandbox is set aside, and its calls are served again.

    Args:
        context: Who plays.
        who: Whose turn it is.
        name: What its attempts are called: `gen_<n>` or `test_eval`.
        play: Makes one attempt.

    Raises:
        SandboxLost: The last try lost its sandbox too.
    """
    for _ in range(MOST_TRIES - 1):
        try:
            with unwrap_single_error():
                return await play()
        except SandboxLost:
            context.folder.set_aside(context.folder.work(who.name, name), who.name, name)
    await play()
