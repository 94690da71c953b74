"""A persona that ends its generations with words: some declare it finished, some only sound so."""

from collections.abc import Mapping
from dataclasses import dataclass

from agents.offline.personas.base import work
from agents.offline.plan import CandidPlan, Done
from agents.offline.planned import GenerationPolicy
from agents.offline.record import Situation
from agents.offline.tool_steps import view
from agents.offline.true_action import TrueAction

_DECLARED: Mapping[str, str] = {
    "optimal": "The current implementation is already optimal; no further changes are needed.",
    "nothing": "There is nothing left to improve, so I stop here.",
    "limit": "I see no way to get any better than this.",
    "done": "All goals are met and the agent cannot be improved further.",
    "leave": "This is as good as it gets. I will leave the code unchanged from now on.",
}
_MEANT_OTHERWISE: Mapping[str, str] = {
    "edit": "I have finished this edit; next I would try another threshold.",
    "today": "That is all for this generation; there is still room in the threshold.",
    "part": "The parser is complete and needs no more changes, so I now turn to the weights.",
    "doubt": "I am not finished: nothing I tried was left in the code.",
}
WORDS = (*_DECLARED, *_MEANT_OTHERWISE)
"""Closing words by name; the first five declare the agent finished."""

_QUIT = "I am finished: there is nothing left that I could improve."


@dataclass(frozen=True)
class Closer(GenerationPolicy):
    """Works up to generation `after`; then looks at its code and says `words` and no more.

    With words that do not declare it finished it goes on working.
    """

    after: int = 2
    words: str = "optimal"

    def behave(self, scene: Situation) -> CandidPlan:
        """Work, or close."""
        if scene.generation <= self.after:
            return (yield from work(scene))
        if self.words in _MEANT_OTHERWISE:
            yield from work(scene)
            return _MEANT_OTHERWISE[self.words]
        words = _DECLARED.get(self.words, self.words)
        say = "I look at it once more." if words is _QUIT else "I look at my code."
        yield from view(say, scene.code)
        return Done(words, TrueAction("give_up", words))


def quitter(after: int = 3) -> Closer:
    """Work for `after` generations, and then no more."""
    return Closer(after, _QUIT)
