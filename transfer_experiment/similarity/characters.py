"""Which characters of a text difflib does not call popular."""

import re
from collections import Counter
from typing import Final

# difflib calls a character popular in a text of at least this length ...
AUTOJUNK_LENGTH: Final = 200
# ... when it makes up more than this share of it, in percent, plus one.
AUTOJUNK_PERCENT: Final = 1
# Most characters of a program are of these few: counting each by itself, and no further than
# needed, costs less than to count all together. Which they are decides about nothing else.
_USUAL: Final = b" etsranio\nlfdc_pum.h"
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")


def rare_characters(text: str) -> frozenset[str]:
    """Return a text's characters that difflib does not call popular."""
    if len(text) < AUTOJUNK_LENGTH:
        return frozenset(text)
    most = len(text) * AUTOJUNK_PERCENT // 100 + 1
    packed = text.encode("ascii", "ignore")
    counts = Counter(packed.translate(None, _USUAL).decode("ascii"))
    if not text.isascii():
        counts.update(_BEYOND_ASCII.findall(text))
    usual = (chr(code) for code in _USUAL if code in packed and not _is_popular(packed, code, most))
    return frozenset([*(char for char, count in counts.items() if count <= most), *usual])


def _is_popular(packed: bytes, code: int, most: int) -> bool:
    """Return True if a character stands in a text more than so many times."""
    count = start = 0
    for end in (len(packed) // 8, len(packed) // 3, len(packed)):
        count += packed.count(code, start, end)
        if count > most:
            return True
        start = end
    return False
