"""The catalogue: families of changes, each a code transformation with an anchor.

No value here was tuned on the sealed data of an environment, and many changes are bad ideas. Which
helps is for whoever tries them to find out. docs/reference/offline-models.md names the families.
"""

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from hyperspace.offline.changes.sites import inserted, parsed, settings, spliced

FACTORS: Final = (0.25, 0.5, 2.0, 4.0)
FROM_ZERO: Final = (0.1, 0.5, 0.9)
BOUNDS: Final = (0.1, 1.0, 10.0)
ACTIVATIONS: Final = ("relu", "gelu", "silu", "tanh", "leaky_relu", "elu")
LAYERS: Final = ("ReLU", "GELU", "SiLU", "Tanh", "LeakyReLU", "ELU")
OPTIMISERS: Final = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")
_REMAINDER: Final = re.compile(r"beta|decay|momentum|gamma|ema|average", re.IGNORECASE)
_BATCH: Final = re.compile(r"batch|group", re.IGNORECASE)
_STEPS: Final = re.compile(r"steps?|updates?|iters?|iterations?|epochs?", re.IGNORECASE)
_GRADIENT: Final = re.compile(r"grad", re.IGNORECASE)
_RATE: Final = re.compile(r"(?:^|_)(?:lr|rate|learning_rate|step_size)$", re.IGNORECASE)


class CodeChange(NamedTuple):
    """One change of one file.

    Attributes:
        family: Its family.
        path: The file.
        words: What it does, in words.
        text: The file afterwards.
    """

    family: str
    path: str
    words: str
    text: str


Family = Callable[[str, str, ast.Module], Iterator[CodeChange]]


def changes(path: str, text: str) -> list[CodeChange]:
    """Return every change of the catalogue that a file has an anchor for.

    Args:
        path: Where it lies.
        text: Its source; one that does not parse has no anchors.
    """
    tree = parsed(text)
    if tree is None:
        return []
    every = (change for family in FAMILIES.values() for change in family(path, text, tree))
    return [change for change in every if change.text != text and parsed(change.text) is not None]


def number(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """A numeric setting times a factor; of what stays of a sum, the rest times a factor.

    A learning rate is a family of its own: one setting of twenty that most of training hangs on.
    """
    for site in settings(tree):
        if isinstance(site.value, bool) or not isinstance(site.value, int | float):
            continue
        for value in _others(site.name, site.value):
            words = f"In {path}, set {site.name} to {value} in place of {site.value}."
            family = "learning rate" if _RATE.search(site.name) else "number"
            yield CodeChange(family, path, words, spliced(text, site.node, repr(value)))


def flag(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """The other value of a flag."""
    for site in settings(tree):
        if isinstance(site.value, bool):
            words = f"In {path}, turn {site.name} {'off' if site.value else 'on'}."
            yield CodeChange("flag", path, words, spliced(text, site.node, repr(not site.value)))


def batch(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """Batches against steps: one twice, the other half, so that as much is seen in all."""
    sites = [s for s in settings(tree) if type(s.value) is int and s.value > 1]
    for batches in (site for site in sites if _BATCH.search(site.name)):
        for steps in (site for site in sites if _STEPS.search(site.name) and site is not batches):
            for up, down in ((batches, steps), (steps, batches)):
                assert isinstance(up.value, int)  # noqa: S101  narrows the type
                assert isinstance(down.value, int)  # noqa: S101
                pair = [(up, up.value * 2), (down, down.value // 2)]
                # From the end, so that the first place stays where it is.
                pair.sort(key=lambda p: (p[0].node.lineno, p[0].node.col_offset), reverse=True)
                changed = text
                for site, value in pair:
                    changed = spliced(changed, site.node, repr(value))
                words = f"In {path}, double {up.name} and halve {down.name}."
                yield CodeChange("batch", path, words, changed)


def schedule(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """No decay where a rate is scaled in place."""
    for loop in _loops(tree):
        for node in loop.body:
            if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Mult):
                continue
            if isinstance(node.target, ast.Name) and _RATE.search(node.target.id):
                words = f"In {path}, keep {node.target.id} as it is: no decay with each step."
                yield CodeChange("schedule", path, words, spliced(text, node, "pass"))


def clipping(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """A bound on gradients, after the last statement of a loop that makes them."""
    for loop in _loops(tree):
        names: dict[str, int] = {}
        for node in loop.body:
            target = node.target if isinstance(node, ast.AugAssign) else _only_target(node)
            if isinstance(target, ast.Name) and _GRADIENT.search(target.id):
                names[target.id] = (node.end_lineno or node.lineno) + 1
        if not names:
            continue
        for bound in BOUNDS:
            changed = text
            for name, line in sorted(names.items(), key=lambda item: -item[1]):
                indent = " " * loop.body[0].col_offset
                clipped = f"{indent}{name} = max(-{bound}, min({bound}, {name}))"
                changed = inserted(changed, line, clipped)
            words = f"In {path}, bound {', '.join(sorted(names))} to {bound} either way."
            yield CodeChange("clipping", path, words, changed)


def torch_clipping(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """A bound on the norm of PyTorch's gradients, before an optimiser's step."""
    models = re.findall(r"\b([A-Za-z_]\w*)\.parameters\(\)", text)
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if not (models and is_call and re.fullmatch(r"\w*opt\w*\.step\(\)", ast.unparse(node))):
            continue
        assert isinstance(node, ast.Expr)  # noqa: S101  narrows the type
        for bound in BOUNDS:
            call = f"torch.nn.utils.clip_grad_norm_({models[0]}.parameters(), {bound})"
            words = f"In {path}, clip the norm of gradients of {models[0]} at {bound}."
            changed = inserted(text, node.lineno, " " * node.col_offset + call)
            yield CodeChange("clipping", path, words, changed)


def activation(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """Another activation, as a function or as a layer of PyTorch."""
    yield from _renamed(path, text, tree, "activation", ACTIVATIONS, ("F", "functional", "torch"))
    yield from _renamed(path, text, tree, "activation", LAYERS, ("nn",))


def optimiser(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """Another optimiser of PyTorch with the same arguments."""
    yield from _renamed(path, text, tree, "optimiser", OPTIMISERS, ("optim",))


def smoothing(path: str, text: str, tree: ast.Module) -> Iterator[CodeChange]:
    """Smoothed labels where a cross entropy is taken."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "cross_entropy" and node.args and not node.keywords:
            for amount in (0.05, 0.1):
                call = ast.unparse(node)[:-1] + f", label_smoothing={amount})"
                words = f"In {path}, smooth the labels of the cross entropy by {amount}."
                yield CodeChange("loss", path, words, spliced(text, node, call))


FAMILIES: Final[Mapping[str, Family]] = {
    "number": number,
    "flag": flag,
    "batch": batch,
    "schedule": schedule,
    "clipping": clipping,
    "torch clipping": torch_clipping,
    "activation": activation,
    "optimiser": optimiser,
    "loss": smoothing,
}


def _others(name: str, value: int | float) -> Iterator[int | float]:
    if value == 0:
        yield from FROM_ZERO if isinstance(value, float) else (1,)
    elif isinstance(value, int):
        yield from sorted({round(value * factor) for factor in FACTORS} - {0, value})
    elif 0.5 < value < 1.0 and _REMAINDER.search(name):
        yield from (_short(1.0 - (1.0 - value) * factor) for factor in FACTORS)
    elif math.isfinite(value):
        yield from (_short(value * factor) for factor in FACTORS)


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def _renamed(
    path: str,
    text: str,
    tree: ast.Module,
    family: str,
    names: tuple[str, ...],
    owners: tuple[str, ...],
) -> Iterator[CodeChange]:
    """Yield changes that put another of some names where one of them is taken from a module."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr not in names:
            continue
        owner = ast.unparse(node.value)
        if owner.rpartition(".")[2] not in owners:
            continue
        for name in names:
            if name != node.attr:
                words = f"In {path}, line {node.lineno}, use {name} in place of {node.attr}."
                yield CodeChange(family, path, words, spliced(text, node, f"{owner}.{name}"))


def _loops(tree: ast.Module) -> Iterator[ast.For | ast.While]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While))


def _only_target(node: ast.stmt) -> ast.expr | None:
    return node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
