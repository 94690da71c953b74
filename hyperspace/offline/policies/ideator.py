"""A policy that has ideas about training code: it draws from a catalogue of generic changes.

It reads the files that its prompt shows, and nothing else: a family first, then a place, then a
value, each uniformly, from `hyperspace.offline.changes`. It holds no list of what works. An idea
that the prompt tells of is not had again; one that builds upon the best changes what that one left.
"""

import random
import re
from collections.abc import Iterator, Mapping

from guards.scope.globs import glob
from guards.scope.unified import unified_diff
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.changes.catalogue import CodeChange, changes
from hyperspace.offline.conversation import draw_seed

_CODE = re.compile(r"^<file(-[0-9a-f]{16}) ", re.MULTILINE)
_ELEMENT = r'^<{0}{2} {1}="([^"\n]+)">\n(.*?)\n</{0}{2}>$'
_FROZEN = re.compile(r"refused: ([^\n]*)\.$", re.MULTILINE)


class Ideator:
    """Answers a prompt with files with an idea, and then with its diff.

    Args:
        pairs: Share of ideas that are two changes at once.
    """

    def __init__(self, pairs: float = 0.25) -> None:
        self._pairs = pairs

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer the last user message; the same idea until its diff is refused."""
        users = [message.content for message in request.messages if message.role == "user"]
        code = _CODE.search(users[0]) if users else None
        files = dict(_elements("file", "path", users[0], code[1])) if code else {}
        if not files or not code:
            return ChatReply(text="I change training code, and I see none.")
        refused = max(len(users) - 2, 0)
        chosen = self._draw(users[0], code[1], files, draw_seed(request.seed or 0, refused))
        if not chosen:
            return ChatReply(text="No change that I know has an anchor here.")
        words = " ".join(change.words for change in chosen)
        if len(users) == 1:
            return ChatReply(text=f"{words} I cannot tell whether it helps; the score will.")
        before = {path: f"{text}\n" for path, text in files.items()}
        after = before | {change.path: change.text for change in chosen}
        return ChatReply(text=f"{words}\n\n```diff\n{unified_diff(before, after)}```")

    def _draw(
        self, prompt: str, code: str, files: Mapping[str, str], seed: int
    ) -> list[CodeChange]:
        """Draw one change, or two in different files or one upon the other."""
        said = prompt.replace(f"result{code}: ", "").replace(code, "")  # its words alone decide
        draw = random.Random(draw_seed(seed, said))  # noqa: S311  reproducible on purpose
        had = " ".join(words for _, words in _elements("idea", "number", prompt, code))
        texts = {path: f"{text}\n" for path, text in _open_files(prompt, files)}
        chosen: list[CodeChange] = []
        for _ in range(2 if draw.random() < self._pairs else 1):
            every = [c for path, text in texts.items() for c in changes(path, text)]
            every = [c for c in every if c.text != f"{files[c.path]}\n"]  # not back again
            fresh = [change for change in every if change.words not in had] or every
            families = sorted({change.family for change in fresh})
            if not families:
                break
            family = draw.choice(families)
            change = draw.choice([c for c in fresh if c.family == family])
            texts[change.path] = change.text
            chosen.append(change)
        return chosen


def _elements(name: str, attribute: str, prompt: str, code: str) -> list[tuple[str, str]]:
    """Return the elements of a name that the request's code closes: an attribute, and the text."""
    form = _ELEMENT.format(name, attribute, code)
    return re.findall(form, prompt, re.DOTALL | re.MULTILINE)


def _open_files(prompt: str, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the Python files that are not frozen, as the prompt has it."""
    asked = prompt.partition("\n<file-")[0]
    frozen = [glob(name) for line in _FROZEN.findall(asked) for name in line.split(", ")]
    for path, text in files.items():
        if path.endswith(".py") and not any(pattern.matches(path) for pattern in frozen):
            yield path, text
