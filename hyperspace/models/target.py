"""Who is asked, as messages name it."""

import base64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote

LONGEST_QUOTE: Final = 300  # characters


MASK: Final = "[key]"
_RUN: Final = 12  # characters of a key, or of another form of it, that are as telling as all
_PIECE: Final = 6
_STRIDE: Final = _RUN - _PIECE + 1  # of places in a text, one in each run has a piece of it
_FEWEST_DISTINCT: Final = 6  # a run of fewer different characters is no secret
_SHORTEST_KEY: Final = 5
_URL_SAFE: Final = str.maketrans("+/", "-_")
_Pieces = Mapping[str, Sequence[tuple[str, int]]]


def masked(text: str, key: str) -> str:
    """Take a key out of a text, and any 12 characters of it in a row, also in other forms.

    The forms are those in which providers and proxies repeat a key: as it is, in capitals or small
    letters, percent-encoded, in hexadecimal or base64 wherever it begins; all of them reversed,
    too. A run of fewer than 6 different characters stays. The time is linear in the text.
    """
    if len(key) >= _SHORTEST_KEY:
        text = text.replace(key, MASK)
    if len(key) < _RUN:
        return text
    kept, end = list[str](), 0
    for begin, stop in sorted(set(_runs(text, _pieces(key)))):
        if begin >= end:
            kept += [text[end:begin], MASK]
        end = max(end, stop)
    return "".join([*kept, text[end:]])


def _runs(text: str, pieces: _Pieces) -> Iterator[tuple[int, int]]:
    """Begin and end of each part of a text that a form of the key holds, too."""
    done = 0  # a run that begins before it and goes on has a piece behind it
    for at in range(0, len(text) - _PIECE + 1, _STRIDE):
        if at < done:
            continue
        for form, place in pieces.get(text[at : at + _PIECE], ()):
            begin, end = at, at + _PIECE
            before, after = place, place + _PIECE
            while begin and before and text[begin - 1] == form[before - 1]:
                begin, before = begin - 1, before - 1
            while end < len(text) and after < len(form) and text[end] == form[after]:
                end, after = end + 1, after + 1
            if end - begin >= _RUN and len({*text[begin:end]}) >= _FEWEST_DISTINCT:
                yield begin, end
                done = max(done, end)


@lru_cache(maxsize=32)
def _pieces(key: str) -> _Pieces:
    """Where each 6 characters of a form stand in it."""
    found = defaultdict[str, list[tuple[str, int]]](list)
    for form in {each for way in (key, key[::-1]) for each in _forms(way)}:
        for text in {form, form[::-1]}:
            for place in range(len(text) - _PIECE + 1):
                found[text[place : place + _PIECE]].append((text, place))
    return dict(found)


def _forms(key: str) -> Iterator[str]:
    data = key.encode()
    yield from (key, key.upper(), key.lower(), quote(key, safe=""), data.hex(), data.hex().upper())
    for shift in range(3):  # what comes before decides where its first bits lie
        coded = base64.b64encode(bytes(shift) + data + bytes(-(shift + len(data)) % 3))
        # The characters at both ends hold bits of what is beside it.
        own = coded.decode()[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
        yield own
        yield own.translate(_URL_SAFE)


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
