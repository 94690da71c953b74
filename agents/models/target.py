"""Who is asked, as messages name it."""

import base64
from typing import Final, NamedTuple
from urllib.parse import quote

LONGEST_QUOTE: Final = 300  # characters


MASK: Final = "[key]"
_RUN: Final = 12  # characters of a key, or of another form of it, that are as telling as all
_STEP: Final = 6  # each run holds an aligned piece of it
_SHORTEST_KEY: Final = 5


def masked(text: str, key: str) -> str:
    """Take a key out of a text, and any 12 characters of it in a row, also in other forms.

    The forms are those in which providers and proxies repeat a key: as it is, in capitals or small
    letters, reversed, percent-encoded, in hexadecimal or base64.
    """
    if len(key) >= _SHORTEST_KEY:
        text = text.replace(key, MASK)
    if len(key) < _RUN:
        return text
    for form in _forms(key):
        if any(form[at : at + _STEP] in text for at in range(0, len(form) - _STEP + 1, _STEP)):
            text = _without_runs(text, form)
    return text


def _forms(key: str) -> list[str]:
    data = key.encode()
    plain = [key, key.upper(), key.lower(), key[::-1], quote(key, safe=""), data.hex()]
    coded = [base64.b64encode(data), base64.urlsafe_b64encode(data)]
    return list(dict.fromkeys([*plain, *(each.decode().rstrip("=") for each in coded)]))


def _without_runs(text: str, form: str) -> str:
    runs = {form[at : at + _RUN] for at in range(len(form) - _RUN + 1)}
    kept, at, size = list[str](), 0, len(text)
    while at < size:
        if text[at : at + _RUN] not in runs:
            kept.append(text[at])
            at += 1
            continue
        end = at + _RUN
        while end < size and text[end - _RUN + 1 : end + 1] in runs:
            end += 1
        kept.append(MASK)
        at = end
    return "".join(kept)


class ModelTarget(NamedTuple):
    """Who was asked, for messages; the key is cut out of whatever is said."""

    model: str
    url: str
    key: str
    key_variable: str

    def __repr__(self) -> str:
        return f"Asked({self.model!r}, {self.url!r})"

    def __str__(self) -> str:
        return f"{self.model} at {self.url}"

    def quoted(self, text: object) -> str:
        """Quote a text in one bounded line, without the key."""
        line = " ".join(str(text).split()) or type(text).__name__
        return masked(line, self.key)[:LONGEST_QUOTE]
