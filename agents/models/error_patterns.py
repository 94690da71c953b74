"""Patterns in the texts of refusals: few providers agree on a status, none on a code."""

import re
from typing import Final

# Each in lower case, from the providers' own documents and servers.
_PATTERNS: Final = {
    "overflow": (
        "context_length",
        "context length",
        "context window",
        "context size",  # llama.cpp
        "maximum context",
        "context limit",  # Anthropic: input length and `max_tokens` exceed context limit
        "prompt is too long",  # Anthropic, Fireworks
        "input is too long",
        "input token count",  # Gemini
        "too many tokens",
        "request_too_large",
    ),
    "tools": (
        "does not support tools",  # Ollama
        "support tool use",  # OpenRouter
        "tool choice requires",  # vLLM
        "does not support tool",
        "does not support function",
        "tool calling is not supported",
        "tools are not supported",
    ),
    "key": ("api key not valid", "invalid api key", "api_key_invalid"),
    "model": ("not a valid model", "model_not_found", "unknown model", "model does not exist"),
    "refusal": (
        "content_filter",
        "content_policy",
        "content policy",
        "invalid_prompt",
        "input was flagged",  # OpenRouter
    ),
    "credit": (
        "insufficient_quota",
        "insufficient credits",
        "insufficient balance",
        "credit balance is too low",
        "billing_hard_limit",
    ),
}
# Fields that a reply can do without.
OPTIONAL_FIELDS: Final = (
    "temperature",
    "top_p",
    "seed",
    "stream_options",
    "stream",
    "reasoning_effort",
    "cache_control",
)
_NOT_TAKEN: Final = re.compile(
    r"unsupported|not support|unknown name|unrecognized|unknown (field|param)|not permitted"
    r"|not allowed|deprecated|extra inputs|only the default"
)


def matches(what: str, text: str) -> bool:
    """True if a provider's text (in lower case) matches the patterns of one kind of error."""
    return any(sign in text for sign in _PATTERNS[what])


def refused_field(param: object, text: str) -> str | None:
    """The optional field that a provider does not take; None if it complains of something else."""
    if not _NOT_TAKEN.search(text):
        return None
    if param in OPTIONAL_FIELDS:
        return str(param)
    return next((field for field in OPTIONAL_FIELDS if re.search(rf"\b{field}\b", text)), None)
