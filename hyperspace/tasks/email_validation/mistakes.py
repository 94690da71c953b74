"""Operators that break one rule each of a valid address; the oracle decides whether they did."""

import random
from collections.abc import Callable

from hyperspace.tasks.email_validation.grammar import (
    LETTERS,
    Parts,
    ipv4,
    ipv6,
    letters,
    name,
    quoted,
)

Mistake = Callable[[Parts, random.Random], str]


def mistakes(is_test: bool) -> tuple[Mistake, ...]:
    """Return the operators; some are made in the test split alone."""
    return COMMON + TEST_ONLY if is_test else COMMON


def no_at(parts: Parts, rng: random.Random) -> str:
    """Leave out the @."""
    return parts.text().replace("@", rng.choice(("", ".", " at ")))


def two_ats(parts: Parts, rng: random.Random) -> str:
    """Put in another @, before or behind the local part."""
    return rng.choice(("@" + parts.text(), parts._replace(local=parts.local + "@").text()))


def no_local(parts: Parts, rng: random.Random) -> str:
    """Leave out the local part."""
    return parts._replace(local="").text()


def no_domain(parts: Parts, rng: random.Random) -> str:
    """Leave out the domain."""
    return parts.local + "@"


def space(parts: Parts, rng: random.Random) -> str:
    """Put a space into the name or before it."""
    labels = name(rng)
    return parts._replace(labels=(rng.choice((" ", f"{labels[0]} ")) + labels[0], *labels[1:]),
                          literal="").text()  # fmt: skip


def control(parts: Parts, rng: random.Random) -> str:
    """Put in a character that does not print, or one beyond ASCII."""
    text = parts.text()
    cut = rng.randrange(len(text) + 1)
    return text[:cut] + rng.choice("\t\n\x7f\u00e9\u4e2d") + text[cut:]


def dot_first(parts: Parts, rng: random.Random) -> str:
    """Begin the local part with a dot."""
    return parts._replace(local="." + _atom(parts, rng)).text()


def dot_last(parts: Parts, rng: random.Random) -> str:
    """End the local part with a dot."""
    return parts._replace(local=_atom(parts, rng) + ".").text()


def two_dots(parts: Parts, rng: random.Random) -> str:
    """Put two dots into the local part."""
    return parts._replace(local=f"{_atom(parts, rng)}..{letters(rng, 1, 5)}").text()


def odd_local(parts: Parts, rng: random.Random) -> str:
    """Put a character into the local part that needs quotes."""
    return parts._replace(local=_atom(parts, rng) + rng.choice('(),:;<>[]\\ "') + "x").text()


def long_local(parts: Parts, rng: random.Random) -> str:
    """Make the local part too long."""
    return parts._replace(local=letters(rng, 65, 130)).text()


def open_quote(parts: Parts, rng: random.Random) -> str:
    """Leave out the closing quote."""
    return parts._replace(local=quoted(rng)[:-1]).text()


def bare_quote(parts: Parts, rng: random.Random) -> str:
    """Put an unescaped quote into a quoted local part."""
    return parts._replace(local=f'"{letters(rng, 1, 4)}"{letters(rng, 1, 4)}"').text()


def empty_label(parts: Parts, rng: random.Random) -> str:
    """Put a dot first, last, or twice into the name."""
    labels = list(name(rng))
    labels.insert(rng.randint(0, len(labels)), "")
    return Parts(parts.local, tuple(labels)).text()


def long_label(parts: Parts, rng: random.Random) -> str:
    """Make a label too long."""
    return Parts(parts.local, (letters(rng, 64, 120), *name(rng))).text()


def odd_label(parts: Parts, rng: random.Random) -> str:
    """Put a character into a label that names do not have."""
    labels = name(rng)
    return Parts(parts.local, (labels[0] + rng.choice("_!#$%&*+/=~,;:'"), *labels[1:])).text()


def hyphen(parts: Parts, rng: random.Random) -> str:
    """Begin or end a label with a hyphen."""
    labels = name(rng)
    return Parts(parts.local, (rng.choice(("-{}", "{}-")).format(labels[0]), *labels[1:])).text()


def lone_label(parts: Parts, rng: random.Random) -> str:
    """Leave a name of one label."""
    return Parts(parts.local, name(rng)[:1]).text()


def short_top(parts: Parts, rng: random.Random) -> str:
    """End the name with one letter."""
    return Parts(parts.local, (*name(rng)[:-1], rng.choice(LETTERS))).text()


def digit_top(parts: Parts, rng: random.Random) -> str:
    """End the name with digits."""
    return Parts(parts.local, (*name(rng)[:-1], str(rng.randint(10, 999)))).text()


def bad_ipv4(parts: Parts, rng: random.Random) -> str:
    """Make an octet too large or padded, or take one away or add one."""
    octets = ipv4(rng).split(".")
    where = rng.randrange(4)
    octets[where : where + 1] = rng.choice(
        ([str(rng.randint(256, 999))], ["0" + octets[where]], [], [octets[where], "7"])
    )
    return Parts(parts.local, literal=".".join(octets)).text()


def bad_ipv6(parts: Parts, rng: random.Random) -> str:
    """Make a group too long or no number, shorten twice, or leave out the tag."""
    text = ipv6(rng)
    untagged, longer = text.removeprefix("IPv6:"), f"{text}:1:2:3:4"
    broken = rng.choice((f"{text}abcde", f"{text}:g1", "IPv6:1::2::3", untagged, longer))
    return Parts(parts.local, literal=broken).text()


def open_literal(parts: Parts, rng: random.Random) -> str:
    """Leave out the closing bracket."""
    return Parts(parts.local, literal=ipv4(rng)).text()[:-1]


def behind_literal(parts: Parts, rng: random.Random) -> str:
    """Put text behind the closing bracket."""
    return Parts(parts.local, literal=ipv4(rng)).text() + rng.choice((".com", "x"))


def before_quote(parts: Parts, rng: random.Random) -> str:
    """Put text before a quoted local part."""
    return parts._replace(local=letters(rng, 1, 5) + quoted(rng)).text()


def too_long(parts: Parts, rng: random.Random) -> str:
    """Make the whole address too long by many labels of good length."""
    labels = [letters(rng, 40, 60) for _ in range(rng.randint(5, 7))]
    return Parts(parts.local, (*labels, "com")).text()


def _atom(parts: Parts, rng: random.Random) -> str:
    """The local part, or letters in place of a quoted or long one."""
    is_fit = not parts.local.startswith('"') and len(parts.local) < 50
    return parts.local if is_fit else letters(rng, 3, 8)


COMMON: tuple[Mistake, ...] = (
    no_at, two_ats, no_local, no_domain, space, control, dot_first, dot_last, two_dots, odd_local,
    long_local, open_quote, bare_quote, empty_label, long_label, odd_label, hyphen, lone_label,
    short_top, digit_top, bad_ipv4, bad_ipv6,
)  # fmt: skip
TEST_ONLY: tuple[Mistake, ...] = (open_literal, behind_literal, before_quote, too_long)
