"""How many tokens a reply may have, read from a refusal that says it with numbers."""

import re
from typing import Final, NamedTuple

# All for lower-case text, numbers without thousands separators.
_WINDOWS: Final = (
    r"\d+ \+ \d+ > (\d+)",  # Anthropic: prompt + max_tokens > window
    r"max_new_tokens`? must be <= (\d+)",  # TGI
    r"context[ _-](?:length|window|size|limit)[^\d.]{0,40}?(\d+)",
    r"maximum context[^\d.]{0,40}?(\d+)",
    r"\bn_ctx\b[^\d]{1,5}(\d+)",  # llama.cpp
    r"token limit: (\d+)",
    r"\blimit(?: is)?:? (\d+)",
)
_PROMPTS: Final = (
    r"(\d+) \+ \d+ > \d+",
    r"(\d+) (?:tokens )?(?:in|from) (?:the|your) (?:input )?(?:messages|prompt)",
    r"(?:has|contains?|given:|with) (\d+) `?(?:inputs?|prompt|message)`? tokens",
    r"prompt contains (\d+)",
    r"\bn_prompt_tokens\b[^\d]{1,5}(\d+)",
)
_REQUESTED: Final = (
    r"requested(?: a total of| about|:)? (\d+)",
    r"current length is (\d+)",
)
_MOST: Final = (
    r"at most (\d+) (?:completion |output |new )?tokens",
    r"max_\w*tokens`?'?\"? ?(?:is|should be|must be|in)[^\d]{0,20}\[\d+, ?(\d+)\]",
    r"max_\w*tokens`?'?\"?: \d+ > (\d+)",
    r"max_\w*tokens[^\d.]{0,60}?(?:less than(?: or equal to)?|<=|at most|up to|lower than"
    r"|smaller than|(?:not|cannot) (?:exceed|be (?:greater|larger|more) than)|maximum(?: \w+)?"
    r"(?: is| of)?|exceeds?(?: the)?(?: \w+){0,4}|between \d+ and)[^\d.]{0,5}(\d+)",
    r"#/max_\w*tokens: \d+ is not less or equal to (\d+)",  # Bedrock
    r"exceeds? the model limit of (\d+)",  # Azure, Bedrock
    r"maximum (?:allowed )?(?:number of )?(?:output|completion) tokens[^\d]{0,40}(\d+)",
)
_THOUSANDS: Final = re.compile(r"(?<=\d)[,_](?=\d{3}\b)")


class Room(NamedTuple):
    """What a refusal says of the tokens that a reply may have.

    Attributes:
        tokens: The bound to ask for; less than what was asked for.
        window: Tokens of prompt and reply together; None where the bound is on the reply alone.
        prompt: Tokens of this prompt; None where nobody said.
    """

    tokens: int
    window: int | None = None
    prompt: int | None = None


def room(words: str, most_sent: int, prompt_estimate: int) -> Room | None:
    """Read the room for a reply; None where the prompt leaves none, or no number says so.

    Args:
        words: Of the refusal, in lower case.
        most_sent: The bound that was sent.
        prompt_estimate: Tokens of the prompt, roughly.
    """
    words = _THOUSANDS.sub("", words)
    window, prompt = _first(_WINDOWS, words), _first(_PROMPTS, words)
    requested, most = _first(_REQUESTED, words), _first(_MOST, words)
    if window is not None and prompt is None and requested is not None and requested > most_sent:
        prompt = requested - most_sent
    if window is not None and prompt is not None:
        return _less(Room(window - prompt, window, prompt), most_sent)
    if most is not None:
        return _less(Room(most), most_sent)
    if window is not None and most_sent >= window and _is_of_tokens(window, most_sent, words):
        return _less(Room(window - prompt_estimate, window), most_sent)
    return None


def _is_of_tokens(window: int, most_sent: int, words: str) -> bool:
    """Return whether a number is that of a window, and no prompt that is longer is told of."""
    numbers = {int(number[:12]) for number in re.findall(r"\d+", words)} - {most_sent}
    return max(numbers) == window and bool(re.search(rf"\b{window} tokens|n_ctx", words))


def _less(room: Room, most_sent: int) -> Room | None:
    return room if 1 <= room.tokens < most_sent else None


def _first(patterns: tuple[str, ...], words: str) -> int | None:
    for pattern in patterns:
        if match := re.search(pattern, words):
            return int(match[1][:12])
    return None
