"""Keys and other secrets in what an agent writes; reported by kind, line and hash, never text."""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from guards.content.base import ContentFinding, Revision, fresh
from guards.content.notes import Part
from guards.content.phrases import in_order
from guards.content.source import SourceText

HASH_DIGITS = 16
LONGEST_PEM = 8_000  # characters
# Bits a character. A placeholder such as "your-api-key-goes-here" has less beside no digit.
ENOUGH_ENTROPY = 3.0
# In a value that only its name makes suspicious.
MORE_ENTROPY = 3.5
FEWEST_DIGITS = 2

PART = "[A-Za-z0-9_-]{10,2000}"
SHAPES = {
    "anthropic key": r"sk-ant-[A-Za-z0-9_-]{20,300}",
    "openrouter key": r"sk-or-[A-Za-z0-9_-]{20,300}",
    "openai key": r"sk-(?!ant-|or-)[A-Za-z0-9_-]{20,300}",
    "fireworks key": r"fw_[A-Za-z0-9]{20,100}",
    "aws key": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "google key": r"AIza[A-Za-z0-9_-]{35}",
    "github token": r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})",
    "gitlab token": r"glpat-[A-Za-z0-9_-]{20,100}",
    "slack token": r"xox[abprs]-[A-Za-z0-9-]{10,250}",
    "hugging face token": r"hf_[A-Za-z0-9]{30,100}",
    "groq key": r"gsk_[A-Za-z0-9]{30,100}",
    "stripe key": r"[sr]k_live_[A-Za-z0-9]{20,250}",
    "json web token": rf"eyJ{PART}\.eyJ{PART}\.{PART}",
}
KEYS = {
    kind: re.compile(rf"(?<![A-Za-z0-9_-]){shape}(?![A-Za-z0-9])") for kind, shape in SHAPES.items()
}
PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
NAME = "(?i:api_?key|access_?key|secret|token|passw(?:or)?d|credential|private_?key)"
VALUE = r"([A-Za-z0-9+/_.=-]{20,200})(?![\w.(\[+/=-])"
NAMED = re.compile(rf"{NAME}[A-Za-z0-9_]{{0,20}}[\"']?\]? {{0,3}}[:=] {{0,3}}[rbRB]?[\"']?{VALUE}")


class Secret(NamedTuple):
    """A secret and where it stands.

    Attributes:
        kind: What it looks like.
        start: Position of its first character.
        end: Position after its last one.
    """

    kind: str
    start: int
    end: int


class Secrets:
    """Finds provider keys, private keys, and random values that are assigned to telling names."""

    name = "secrets"

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Find secrets that the parent's text did not hold."""
        return fresh(_findings(revision.after), _findings(revision.before))


def find_secrets(text: str) -> list[Secret]:
    """Find secrets in any text; where two overlap, the first and longest counts."""
    candidates = sorted(_candidates(text), key=lambda secret: (secret.start, -secret.end))
    kept: list[Secret] = []
    for secret in candidates:
        if not kept or secret.start >= kept[-1].end:
            kept.append(secret)
    return kept


def mask_secrets(text: str) -> str:
    """Put kind and hash in the place of each secret."""
    parts: list[str] = []
    at = 0
    for secret in find_secrets(text):
        parts += [text[at : secret.start], f"[{_label(text, secret)}]"]
        at = secret.end
    return "".join([*parts, text[at:]])


def _candidates(text: str) -> Iterator[Secret]:
    for kind, pattern in KEYS.items():
        hits = (Secret(kind, *hit.span()) for hit in pattern.finditer(text))
        yield from (hit for hit in hits if _is_random(text[hit.start : hit.end], ENOUGH_ENTROPY))
    for hit in PEM.finditer(text):
        most = min(len(text), hit.end() + LONGEST_PEM)
        end = text.find("-----END", hit.end(), most)
        yield Secret("private key", hit.start(), end if end >= 0 else most)
    named = (Secret("assigned secret", *hit.span(1)) for hit in NAMED.finditer(text))
    yield from (hit for hit in named if _is_random(text[hit.start : hit.end], MORE_ENTROPY))


def _is_random(value: str, bits: float) -> bool:
    """Return whether a value has the digits and the entropy of a secret."""
    if sum(map(str.isdigit, value)) < FEWEST_DIGITS:
        return False
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts) >= bits


def _findings(source: SourceText) -> list[ContentFinding]:
    secrets = find_secrets(source.text)
    if not secrets:
        return []
    # Lines with words for readers: a secret there may be in them, or in code beside them.
    parts: dict[int, Part] = {
        note.line + offset: note.part
        for note in source.reading.notes
        if note.part in ("comment", "docstring")
        for offset in range(note.text.count("\n") + 1)
    }
    findings: list[ContentFinding] = []
    for secret in secrets:
        line = source.text.count("\n", 0, secret.start) + 1
        last = line + source.text.count("\n", secret.start, secret.end)
        label, part = _label(source.text, secret), parts.get(line, "text")
        findings.append(ContentFinding(source.path, line, secret.kind, label, last, part))
    return in_order(findings)


def _label(text: str, secret: Secret) -> str:
    digest = hashlib.sha256(text[secret.start : secret.end].encode()).hexdigest()
    return f"{secret.kind}, sha256 {digest[:HASH_DIGITS]}"
