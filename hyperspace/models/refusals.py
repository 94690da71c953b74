"""The class of a refusal: from its words where they say one, else from its status."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    FieldRefused,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    Refused,
    SealRefused,
    ToolsUnsupported,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.error_body import ErrorBody
from hyperspace.models.error_patterns import matches
from hyperspace.models.request_fields import (
    LIMIT_FIELDS,
    named_field,
    prompt_estimate,
    refused_field,
)
from hyperspace.models.target import ModelTarget
from hyperspace.models.token_room import room

_PASSING: Final = (408, 409, 425)
# A gateway that gave up waiting does not know whether a reply was made behind it.
_GATEWAY_GAVE_UP: Final = (408, 502, 504, 520, 522, 524)
_REFUSED: Final = (400, 404, 406, 415, 422, 501)
_NOTHING_THERE: Final = (404, 405, 410)
_RESPONSES_ONLY: Final = re.compile(
    r"only (be )?\w+ (in|with|by|on|through|via) (the )?(v1/)?responses"
)


class Refusal(NamedTuple):
    """A request that was not answered.

    Attributes:
        status: The HTTP status, or the one that the body states.
        body: What the server said.
        sent: The fields of the request.
        target: Who was asked.
        pause_s: Seconds to wait, as the server says; None if it does not.
        version_path: What an address of this kind ends in; empty where the SDK adds it.
    """

    status: int
    body: ErrorBody
    sent: Mapping[str, Any]
    target: ModelTarget
    pause_s: float | None = None
    version_path: str = ""

    @property
    def said(self) -> str:
        """The words of the server, quoted for people."""
        words = self.body.said.strip()
        return f"status {self.status}" + (f": {self.target.quoted(words)}" if words else "")

    @property
    def can_pass(self) -> bool:
        """True if the status alone says that asking again may help."""
        return self.status in _PASSING or self.status >= 500

    def error(self) -> ModelError:
        """The error that it is."""
        return self._by_words() or self._by_status()

    def _by_words(self) -> ModelError | None:
        words, said, target = self.body.words, self.said, self.target
        is_rate = self.status == 429 or matches("rate", words)
        if self.status not in (401, 402, 403) and (limit := self._limit()) is not None:
            return limit
        if matches("credit", words):
            return self._out_of_credit()
        if (self.status == 413 or matches("overflow", words)) and not is_rate:
            return self._overflow()
        if is_rate and self.status not in (401, 402):
            return RateLimited(f"{target} asks for a pause ({said})", self.pause_s)
        if matches("seal", words):
            return SealRefused(f"{target} cannot read its own reasoning again ({said})")
        if matches("tools", words):
            return ToolsUnsupported(f"{target} cannot call tools ({said})")
        if matches("reply", words):
            return MalformedReply(f"{target} could not read its own reply ({said})")
        if matches("refusal", words):
            return Refused(f"{target} refused the content of the request ({said})")
        if self.status in (401, 403) or matches("key", words):
            return AuthFailed(f"{target} refused the key; set {target.key_variable} ({said})")
        return self._field()

    def _by_status(self) -> ModelError:
        words, said, target = self.body.words, self.said, self.target
        if self.body.is_page and self.status < 300:
            text = f"{target.url} answered with a web page: {said}"
            return WrongAddress(f"{text}; it is not the address of an API{self._advice()}")
        if 300 <= self.status < 400:
            return WrongAddress(
                f"{target} has moved, and keys do not follow; use its new address ({said})"
            )
        if self.status == 402:
            return self._out_of_credit()
        if self.status in _REFUSED and (field := named_field(self.body, self.sent)):
            return self._taken_back(field)
        if self.can_pass:
            gave_up = self.status in _GATEWAY_GAVE_UP
            return ProviderDown(f"{target} failed ({said})", self.pause_s, may_be_billed=gave_up)
        if _RESPONSES_ONLY.search(words) and "messages" in self.sent:
            advice = f"write openai-responses:{target.model} in its place"
            return UnknownModel(f"{target} answers no chat completions; {advice} ({said})")
        # As a word of its own: a short name stands within other words.
        name = rf"(?<![\w.-]){re.escape(target.model.lower())}(?![\w.-])"
        if matches("model", words) or (self.status == 404 and re.search(name, words)):
            return UnknownModel(f"{target} is not there; is the name right? ({said})")
        if self.status in _NOTHING_THERE or matches("address", words):
            advice = self._advice() or "; is the address right, and the name?"
            there = f"nothing at {target.url} answers for {target.model}"
            return UnknownModel(f"{there}{advice} ({said})")
        if matches("passing", words):
            return ProviderDown(f"{target} failed ({said})", self.pause_s, may_be_billed=False)
        if self.status < 300 and self.body.is_text:
            return MalformedReply(f"{target} sent no answer: {said!r} is not JSON")
        if self.status < 300:
            return MalformedReply(f"{target} answered with an error ({said})")
        return BadRequest(f"{target} refused the request ({said})")

    def _limit(self) -> ModelError | None:
        """The refusal of the bound on a reply's tokens, where it says what is left."""
        name = next((name for name in LIMIT_FIELDS if name in self.sent), None)
        if name is None:
            return None
        left = room(self.body.words, self.sent[name], prompt_estimate(self.sent))
        if left is None:
            return None
        text = f"{self.target} has room for {left.tokens} tokens of a reply ({self.said})"
        return FieldRefused(text, name, left)

    def _field(self) -> ModelError | None:
        is_refusal = 400 <= self.status < 500 and not self.can_pass
        field = refused_field(self.body, self.sent, is_refusal=is_refusal)
        return None if field is None else self._taken_back(field)

    def _taken_back(self, field: str) -> ModelError:
        if field == "tools":
            return ToolsUnsupported(f"{self.target} takes no tools ({self.said})")
        return FieldRefused(f"{self.target} takes no {field} ({self.said})", field)

    def _overflow(self) -> ModelError:
        return ContextOverflow(f"{self.target}: the conversation is too long ({self.said})")

    def _out_of_credit(self) -> ModelError:
        return OutOfCredit(
            f"the account at {self.target.url} has nothing left to spend ({self.said})"
        )

    def _advice(self) -> str:
        """What to do about an address that lacks its version, or has no responses."""
        url = self.target.url.rstrip("/")
        has_version = not self.version_path or re.search(r"/v\d", url)
        if has_version and "input" in self.sent:
            return "; if it answers chat completions, take openai-responses: out of the name"
        if has_version:
            return ""
        return f"; add {self.version_path} to the address: {url}{self.version_path}"
