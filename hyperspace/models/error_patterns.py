"""Patterns in the texts of refusals: few providers agree on a status, none on a code.

All are for lower-case text. They come from the providers' documents and servers.
"""

import re
from typing import Final, Literal

ErrorClass = Literal[
    "credit",
    "rate",
    "overflow",
    "tools",
    "seal",
    "reply",
    "refusal",
    "key",
    "model",
    "address",
    "passing",
]

_PATTERNS: Final[dict[ErrorClass, tuple[str, ...]]] = {
    "credit": (
        r"insufficient[ _](quota|credit|balance|fund)",
        r"insufficientquota",
        r"credit balance is too low",
        r"(requires?|need) more credits",
        r"(out of|no|run out of|exhausted your) (remaining )?credits?\b",
        r"billing_(hard_limit|not_active|error)",
        r"(overdue|unpaid) (payment|invoice|balance|bill)",
        r"account .{0,30}(in arrears|overdue|is suspended)",
        r"\barrearage\b",
        r"payment[ _]required",
        r"(spending|spend|budget) limit .{0,30}(reached|exceeded)",
        r"exceeded your (monthly |current )?(spending|credit)",
    ),
    "rate": (
        r"rate[ _-]?limit",
        r"too[ _]many[ _]requests",
        r"requests? per (second|minute|hour|day)",
        r"tokens? per (second|min|minute|hour|day)",
        r"\b(tpm|rpm|tpd|rpd)\b",
        r"throttl",
        r"concurrency limit",
        r"resource_exhausted",
    ),
    "overflow": (
        r"context[ _-]?(length|window|size|limit|overflow)",
        r"context the overflows",  # LM Studio
        r"max(imum|_)? ?(model )?(context|prompt|input|sequence)[ _]?(length|size|tokens|window)",
        r"maximum context",
        r"(prompt|input|request|message|conversation|text|content|inputs)s? ?(tokens? )?"
        r"(is |are |was )?too (long|large|big)\b",
        r"(prompt|input|request) tokens? (length )?(is |are )?(too (long|many)|exceed)",
        r"input (token count|length)",
        r"too many (input |prompt |total )?tokens\b",
        r"tokens? .{0,60}exceeds?\b",
        r"exceed(s|ed|ing)?\b.{0,60}\b(max\w*|limit\w*|number|length|window|capacity)\b"
        r".{0,40}\btokens?\b",
        r"exceed(s|ed)? (the )?model('s)? (token |max\w* )?(limit|length)",
        r"exceed(s|ed)? (the )?(max\w*|limit) (prompt |input |sequence )?(length|size)",
        r"exceeded model token limit",  # Moonshot
        r"range of input length",  # DashScope
        r"`inputs` tokens",  # TGI
        r"reduce (the |your )?(length|size|input|prompt|messages?|number of tokens)",
        r"(must|should) have (less|fewer|at most) .{0,20}tokens",  # TGI
        r"(number|total) of (input |prompt )?tokens .{0,60}(exceed|limit|must|cannot|greater)",
        r"tokens_limit_reached|token_limit_exceeded|string_above_max_length",
        r"request(_too_large| entity too large| body too large)",
        r"current length is \d+ while limit is",  # Cerebras
        r"(longer|greater|larger) than the (model|max|context|allowed)",
        r"\b(n_ctx|num_ctx|max_model_len|max_seq_len|kv cache)\b",
        r"exceeds the available",
        r"truncat\w+ .{0,40}not (allowed|enabled)",
    ),
    "tools": (
        r"(not|n't|cannot|unable to|never) (currently )?(support|use|call|handle)(ed|s)?"
        r"( for| with| the)? ?(native |function|tool)[ _-]?(use|call|choice|s\b|\b)",
        r"support(s|ed)? tool use",  # OpenRouter
        r"tool choice requires",  # vLLM
        r"enable-auto-tool-choice|tool-call-parser",
        r"requires? (the )?--jinja",  # llama.cpp
        r"tools? param\w* requires",
        r"(tool|function)s?[ _-]?(call\w*|use|choice)?[`'\"]? (is|are) (currently )?"
        r"(not (yet )?(supported|enabled|available|allowed)|unsupported|disabled)",
        r"no (endpoints?|providers?|model) .{0,40}(tool|function)",
        r"unsupported .{0,30}\b(tools?|functions?|function_call\w*)\b",
        r"(chat )?template .{0,40}(does not|doesn't|without) .{0,20}tool",
    ),
    "seal": (
        r"invalid_encrypted_content",
        r"encrypted (content|reasoning).{0,120}(could not|cannot|can't|failed to) be "
        r"(verified|decrypted|parsed|read)",
        r"encrypted (content|reasoning) .{0,80}(belongs to|another|different) .{0,20}"
        r"(organization|model|project)",
        r"items are not persisted",  # an item without its seal, by its id
        r"without its required .{0,40}item",
    ),
    "reply": (
        r"tool_use_failed|failed to call a function|tool call validation failed",  # Groq
        r"output_parse_failed|json_validate_failed",
        r"(failed|unable|could not|error|cannot) (to )?(parse|parsing|decod\w+) "
        r"(the )?(tool|function|input at pos|model|output|generat|arguments of)",
        r"model (produced|generated|returned) (an )?(invalid|malformed)",
        r"invalid (tool|function) call (generated|produced)",
        r"malformed_function_call",
    ),
    "refusal": (
        r"content[ _](filter|policy|management|moderation)",
        r"responsibleaipolicyviolation|prohibited_content|data_?inspection_?failed",
        r"invalid_prompt",
        r"input was flagged",  # OpenRouter
        r"flagged (as|by|for)",
        r"(usage|acceptable use) (policy|policies|guidelines)",
        r"inappropriate content|content exists risk|unsafe content|harmful content",
        r"blocked by (the |our )?(content|safety|guardrail|moderation)",
        r"safety (system|filter|setting)",
    ),
    "key": (
        r"(invalid|incorrect|wrong|missing|no|unknown|expired|revoked|malformed|bad)[ _]"
        r"(x-)?(api[ _-]?key|auth\w*|credential|access[ _]token|bearer|token\b)",
        r"api[ _-]?key[ _](is |was )?(not valid|invalid|missing|required|expired|not found"
        r"|incorrect|disabled|revoked)",
        r"authentication_error|authentication failed|unauthenticated|\bunauthorized\b",
        r"not authenticated|no auth credentials|login fail",
        r"did(n't| not) provide an api key",
    ),
    "model": (
        r"not a valid model|model_not_found|modelnotfound|deploymentnotfound",
        r"(unknown|invalid|no such|unrecognized) (model|deployment)",
        r"\bmodel\b.{0,120}(does not exist|doesn't exist|not exist|not found|is not available"
        r"|isn't available|not loaded|not served|not deployed|no longer available)",
        r"(not found|no) .{0,20}\bmodel\b",
        r"no models? (are |is )?(currently )?loaded|model unloaded",
        r"pull(ing)? it first",
        r"not_found_error; model",
    ),
    "address": (
        r"unexpected endpoint",  # LM Studio
        r"(page|route|path|endpoint|url|file|resource) (was )?not found",
        r"(cannot|can't) (get|post) /",
        r"(unknown|invalid|no such) (path|url|endpoint|route|request url)",
        r"no (route|handler) .{0,20}(match|found|for)",
        r"method not allowed",
    ),
    "passing": (
        r"overloaded|over capacity|at capacity|high demand|server (is )?busy|busy now",
        r"try again (later|in|shortly|soon)|retry (later|after|your request)",
        r"temporar(y|ily)",
        r"(model|server) (is )?(currently |still )?(loading|starting|warming)|loading model",
        r"no healthy upstream|upstream (connect|error|timed?)|bad gateway",
        r"service unavailable|timed? ?out\b|connection (reset|refused|closed)",
    ),
}
_COMPILED: Final = {kind: re.compile("|".join(parts)) for kind, parts in _PATTERNS.items()}

NOT_TAKEN: Final = re.compile(
    r"unsupported|not (be )?support|n't support|unknown|unrecognized|unexpected|not permitted"
    r"|not allowed|not (a )?valid|invalid|deprecated|extra inputs|extra fields|only the default"
    r"|only (be )?(set|1)|must be|should be|cannot be|can't be|not available|not enabled|removed"
    r"|not (implemented|accepted|recognized|applicable|compatible)|does not (take|accept)|illegal"
    r"|additional propert|out of range|forbidden|mutually exclusive|too (large|high)|obsolete"
)
"""What is said of a field that is not taken; needed where a status is no refusal by itself."""


def matches(kind: ErrorClass, words: str) -> bool:
    """True if a provider's words (in lower case) are those of one class of error."""
    return _COMPILED[kind].search(words) is not None
