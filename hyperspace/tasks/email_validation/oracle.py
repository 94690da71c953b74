"""The specification of a valid address: the first rule that it breaks, or none.

A subset of RFC 5321 with a profile of three switches. Comments, folded white space, tagged
literals other than IPv6 and characters beyond ASCII are no part of it.
"""

import ipaddress
from collections.abc import Iterator

import msgspec

LONGEST = 254  # characters of an address
LONGEST_LOCAL = 64  # its quotes count
LONGEST_LABEL = 63
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
ATOM = _LETTERS | _DIGITS | frozenset("!#$%&'*+-/=?^_`{|}~")

RULES = (
    "character", "length", "at", "local-empty", "local-length", "local-dots", "local-character",
    "quote-open", "quote-escape", "domain-empty", "label-empty", "label-length",
    "label-character", "label-hyphen", "label-count", "top-length", "top-digits",
    "literal-open", "literal-tag", "literal-ipv4", "literal-ipv6",
)  # fmt: skip
"""Rule ids, in the order in which an address is held against them."""


class Profile(msgspec.Struct, frozen=True):
    """What is asked of domain names beyond their grammar.

    Attributes:
        two_labels: A name has at least two labels.
        long_top: The last label has at least two characters.
        letter_top: The last label is not all digits.
    """

    two_labels: bool = True
    long_top: bool = True
    letter_top: bool = True


def broken_rule(address: str, profile: Profile) -> str:
    """Return the id of the first rule that an address breaks; empty if it is valid."""
    return next(_broken(address, profile), "")


def skeleton(address: str) -> str:
    """Return an address with `a` for each letter and `0` for each digit.

    No rule looks at which letter or digit it is, but within a literal, which stays as it is but for
    the case of its letters. So addresses of one skeleton keep or break the same rules.
    """
    local, at, domain = address.rpartition("@")
    if domain.startswith("["):
        literal = "".join(c.lower() if c in _LETTERS else c for c in domain)
        return _masked(local) + at + literal
    return _masked(address)


def _masked(text: str) -> str:
    return "".join("a" if c in _LETTERS else "0" if c in _DIGITS else c for c in text)


def _broken(address: str, profile: Profile) -> Iterator[str]:
    if any(not 32 <= ord(character) <= 126 for character in address):
        yield "character"
    if len(address) > LONGEST:
        yield "length"
    local, at, domain = address.rpartition("@")
    if not at:
        yield "at"
    yield from _broken_local(local)
    if domain.startswith("["):
        yield from _broken_literal(domain)
    else:
        yield from _broken_name(domain, profile)


def _broken_local(local: str) -> Iterator[str]:
    if not local:
        yield "local-empty"
    if len(local) > LONGEST_LOCAL:
        yield "local-length"
    if local.startswith('"'):
        yield from _broken_quote(local)
        return
    if "" in local.split("."):
        yield "local-dots"
    if not set(local) <= ATOM | {"."}:
        yield "local-character"


def _broken_quote(local: str) -> Iterator[str]:
    """A quote ends at the end of the local part; within, a backslash escapes what follows."""
    position = 1
    while position < len(local) and local[position] != '"':
        position += 2 if local[position] == "\\" else 1
    if position == len(local) + 1:
        yield "quote-escape"
    if position != len(local) - 1:
        yield "quote-open"


def _broken_name(domain: str, profile: Profile) -> Iterator[str]:
    if not domain:
        yield "domain-empty"
    labels = domain.split(".")
    if "" in labels:
        yield "label-empty"
    if any(len(label) > LONGEST_LABEL for label in labels):
        yield "label-length"
    if any(not set(label) <= _LETTERS | _DIGITS | {"-"} for label in labels):
        yield "label-character"
    if any(label.startswith("-") or label.endswith("-") for label in labels):
        yield "label-hyphen"
    if profile.two_labels and len(labels) < 2:
        yield "label-count"
    if profile.long_top and len(labels[-1]) < 2:
        yield "top-length"
    if profile.letter_top and set(labels[-1]) <= _DIGITS:
        yield "top-digits"


def _broken_literal(domain: str) -> Iterator[str]:
    if not domain.endswith("]"):
        yield "literal-open"
    text = domain[1:-1]
    if text[:5].lower() == "ipv6:":
        if not _is_ipv6(text[5:]):
            yield "literal-ipv6"
    elif ":" in text:
        yield "literal-tag"
    elif not _is_ipv4(text):
        yield "literal-ipv4"


def _is_ipv4(text: str) -> bool:
    parts = text.split(".")
    return len(parts) == 4 and all(_is_octet(part) for part in parts)


def _is_octet(part: str) -> bool:
    if not part or len(part) > 3 or not set(part) <= _DIGITS:
        return False
    return part == str(int(part)) and int(part) <= 255


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text  # a zone is no part of a literal
