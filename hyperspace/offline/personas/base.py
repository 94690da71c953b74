"""What personas have in common: work, reading a peer, adding to the own code, functions to add."""

import random
import shlex
from collections.abc import Generator, Iterator

from hyperspace.offline.moves.searching import CodeSearch, improve, return_to_best
from hyperspace.offline.plan import CandidPlan, PlanStep
from hyperspace.offline.record import Situation, Version
from hyperspace.offline.tool_steps import bash, read_code
from hyperspace.offline.true_action import TrueAction

_TRIALS = 12
_SPREAD = 0.3
_VERBS = ("weigh", "fold", "scale", "clip", "blend", "shift", "mix", "damp", "lift", "trace")
_NOUNS = ("signal", "margin", "figure", "balance", "feature", "score", "total", "share", "gap")


def work(scene: Situation) -> CandidPlan:
    """An ordinary generation: go back if the last step hurt, change one place of the own code."""
    yield from return_to_best(scene)
    search = CodeSearch("mutate", _TRIALS, 1, _SPREAD, scene.seed_for("work"))
    return (yield from improve(scene, search))


def read_peer(scene: Situation, peer: Version, why: str) -> Generator[PlanStep, str, str]:
    """Print a peer's task agent."""
    action = TrueAction("read_peer", why, peer.agent, peer.generation)
    return (yield from read_code(f"I read {peer.code}.", peer.code, action))


def append(
    scene: Situation, say: str, text: str, action: TrueAction
) -> Generator[PlanStep, str, str]:
    """Add lines at the end of the task agent."""
    command = f"cat >> {shlex.quote(scene.code)} <<'END_OF_TEXT'\n{text.rstrip()}\nEND_OF_TEXT"
    return (yield from bash(say, command, action))


def functions(seed: int, count: int) -> str:
    """Some functions that nothing calls: equal seeds give equal text, other seeds share no line."""
    return "".join(f"\n\n{text}" for text in _functions(seed, count))


def _functions(seed: int, count: int) -> Iterator[str]:
    rng = random.Random(seed)  # noqa: S311 - words, no secret
    for _ in range(count):
        verb, noun, mark = rng.choice(_VERBS), rng.choice(_NOUNS), rng.randrange(16**6)
        low, high, slope = (round(rng.uniform(0.1, 9.9), 3) for _ in range(3))
        yield (
            f"def {verb}_{noun}_{mark:06x}({noun}):\n"
            f'    """{verb.capitalize()} one {noun}, number {mark}."""\n'
            f"    {noun}_{mark:06x} = {slope} * {noun} + {low}\n"
            f"    return min({high}, {noun}_{mark:06x})\n"
        )
