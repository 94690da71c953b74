"""Task agents to write, read and take: the seed of repo_quality with a few functions more.

Equal seeds give equal text; other seeds share no line but those of repo_quality's seed.
"""

import ast
import io
import random
import tokenize
from collections.abc import Callable, Sequence
from importlib import resources
from itertools import pairwise
from typing import Final, NamedTuple

SEED: Final = 3.05
GOOD: Final = 2.87
BETTER: Final = 2.40
"""Thresholds: the seed's, which scores .65 in validation, .80 and .85 (rows_seed 7: .75 and .85).

What is published has to be better than what was; the functions add less than 0.02 to a sum.
"""
_FEATURES: Final = ("maintainability", "security", "test_coverage", "documentation", "simplicity")
_VERBS: Final = ("weigh", "temper", "favour", "doubt", "grade", "relax", "press", "gauge", "mark")
_NOUNS: Final = ("effort", "risk", "polish", "debt", "clarity", "care", "drift", "reach", "trust")
_KEPT: Final = frozenset({"inputs", "self", "model", "log_file", "Any"})


class CodeBlock(NamedTuple):
    """A function, with what belongs to it, of `inputs`; it answers a number near 0.

    Attributes:
        name: What quality() calls.
        text: Its source, without blank lines around it.
    """

    name: str
    text: str


def program(blocks: Sequence[CodeBlock], threshold: float = GOOD) -> str:
    """A task agent: the seed with another threshold and blocks that count."""
    seed = (
        resources.files("hyperspace.tasks.repo_quality")
        .joinpath("seed_task_agent.py")
        .read_text("utf-8")
    )
    text = seed.replace(f"THRESHOLD = {SEED}", f"THRESHOLD = {threshold}")
    defined = "".join(f"{block.text}\n\n\n" for block in blocks)
    counted = "".join(f"    total += {block.name}(inputs)\n" for block in blocks)
    text = text.replace("def quality(", f"{defined}def quality(")
    return text.replace("    return total\n", f"{counted}    return total\n")


def blocks(seed: str, count: int) -> tuple[CodeBlock, ...]:
    """Blocks in all their forms by turns."""
    rng = random.Random(seed)
    return tuple(_FORMS[index % len(_FORMS)](rng, index) for index in range(count))


def table(seed: str, rows: int) -> CodeBlock:
    """A block that is a table of constants for the most part."""
    rng = random.Random(seed)
    mark = _mark(rng, 9)
    name = f"{rng.choice(_VERBS)}_by_table_{mark}"
    lines = "\n".join(
        f"    ({rng.randrange(100000, 9999999) / 100000}, {_small(rng)})," for _ in range(rows)
    )
    text = f"""{name.upper()} = (
{lines}
)


def {name}(inputs: dict[str, Any]) -> float:
    reach_{mark} = 100 * inputs["{rng.choice(_FEATURES)}"]
    gains_{mark} = [gain for edge, gain in {name.upper()} if edge > reach_{mark}]
    return min(gains_{mark}, default=0.0)"""
    return CodeBlock(name, text)


def _mark(rng: random.Random, index: int) -> str:
    """Digits that make names and lines one function's own."""
    return f"{index}{rng.randrange(100000):05d}"


def _small(rng: random.Random) -> str:
    return f"{rng.randrange(100000, 999999) / 1e9:.9f}"


def _edge(rng: random.Random) -> float:
    return rng.randrange(10001, 95000) / 100000


def _malus(rng: random.Random, index: int) -> CodeBlock:
    mark, (left, right) = _mark(rng, index), rng.sample(_FEATURES, 2)
    name, low, high = f"{rng.choice(_VERBS)}_{rng.choice(_NOUNS)}_{mark}", _edge(rng), _edge(rng)
    text = f'''def {name}(inputs: dict[str, Any]) -> float:
    """A malus where {left} is below {low}, unless {right} makes up for it."""
    if inputs["{left}"] < {low} and inputs["{right}"] < {high}:
        return -{_small(rng)}
    return {_small(rng)}'''
    return CodeBlock(name, text)


def _mean(rng: random.Random, index: int) -> CodeBlock:
    mark, chosen, noun = _mark(rng, index), rng.sample(_FEATURES, 3), rng.choice(_NOUNS)
    name = f"{rng.choice(_VERBS)}_{noun}_{mark}"
    shares = ", ".join(f'("{each}", {_small(rng)})' for each in chosen)
    text = f'''def {name}(inputs: dict[str, Any]) -> float:
    """The {noun}, number {mark}, of {", ".join(chosen)}."""
    {noun}_{mark} = 0.0
    for feature, share in ({shares}):
        {noun}_{mark} += share * inputs[feature] ** {1 + _edge(rng)}
    return {noun}_{mark}'''
    return CodeBlock(name, text)


def _steps(rng: random.Random, index: int) -> CodeBlock:
    mark, feature, noun = _mark(rng, index), rng.choice(_FEATURES), rng.choice(_NOUNS)
    name, edges = f"{rng.choice(_VERBS)}_{noun}_{mark}", sorted(_edge(rng) for _ in range(3))
    text = f'''def {name}(inputs: dict[str, Any]) -> float:
    """How many steps of {noun} {mark} {feature} has climbed."""
    edges_{mark} = {tuple(edges)}
    climbed_{mark} = [edge for edge in edges_{mark} if inputs["{feature}"] >= edge]
    return {_small(rng)} * len(climbed_{mark})'''
    return CodeBlock(name, text)


def _spread(rng: random.Random, index: int) -> CodeBlock:
    mark, (low, middle, high) = _mark(rng, index), rng.sample(_FEATURES, 3)
    noun = rng.choice(_NOUNS)
    name, values = f"{rng.choice(_VERBS)}_{noun}_{mark}", f"{noun}_{mark}"
    text = f'''def {name}(inputs: dict[str, Any]) -> float:
    """A little less, by rule {mark}, the further apart {low}, {middle} and {high} lie."""
    {values} = [inputs[key] for key in ("{low}", "{middle}", "{high}")]
    gap_{mark} = max({values}) - min({values})
    return -{_small(rng)} * max(0.0, gap_{mark} - {_edge(rng)})'''
    return CodeBlock(name, text)


_FORMS: Final[tuple[Callable[[random.Random, int], CodeBlock], ...]] = (
    _malus,
    _mean,
    _steps,
    _spread,
)


def renamed(text: str) -> str:
    """The same program with other names for its functions, constants and variables."""
    own = [node for node in ast.parse(text).body if not isinstance(node, ast.ClassDef)]
    names = sorted({name for node in own for name in _bound_names(node)} - _KEPT)
    others = {name: f"{_NOUNS[i % len(_NOUNS)]}_of_{i:02d}" for i, name in enumerate(names)}
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    is_name = [token.type == tokenize.NAME for token in tokens]
    words = [
        others.get(token.string, token.string) if named and before.string != "." else token.string
        for named, before, token in zip(is_name, [tokens[-1], *tokens], tokens, strict=False)
    ]
    return _laid_out(tokens, words, squeezed=False)


def reformatted(text: str) -> str:
    """The same program, indented by two, without the blanks around operators and its comments."""
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (tokenize.COMMENT, tokenize.NL)
    ]
    return _laid_out(tokens, [token.string for token in tokens], squeezed=True)


def _bound_names(node: ast.AST) -> list[str]:
    names = list[str]()
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef):
            names.append(each.name)
        elif isinstance(each, ast.arg):
            names.append(each.arg)
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            names.append(each.id)
    return names


def _laid_out(tokens: Sequence[tokenize.TokenInfo], words: Sequence[str], *, squeezed: bool) -> str:
    """Write tokens down, with the blanks that they had, or with those alone that they need."""
    parts, depth = list[str](), 0
    starts_line = True
    for (before, token), word in zip(pairwise([tokens[-1], *tokens]), words, strict=True):
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            depth += 1 if token.type == tokenize.INDENT else -1
        elif token.type in (tokenize.NEWLINE, tokenize.NL):
            parts.append("\n")
            starts_line = True
        elif starts_line:
            column = token.start[1]
            parts.append(" " * (2 * depth if squeezed else column) + word)
            starts_line = False
        elif token.start[0] != before.end[0]:
            parts.append(("" if squeezed else "\n" + " " * token.start[1]) + word)
        else:
            is_needed = _is_word(before) and _is_word(token)
            gap = token.start[1] - before.end[1]
            parts.append(" " * (min(gap, 1) if is_needed or not squeezed else 0) + word)
    return "".join(parts)


def _is_word(token: tokenize.TokenInfo) -> bool:
    return token.type in (tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
