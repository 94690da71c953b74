"""What `hyperspace domains NAME` shows: the task, one train item, the seed's code, the limits."""

from collections.abc import Mapping

import msgspec

from hyperspace.cli.domain_listing import Shape, item_counts, shape_of
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.documented import description_of, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits, Limited
from hyperspace.workspace.seed_code import seed_files

LONGEST_INPUTS = 2_000  # characters of a train item that people are shown
TASK_AGENT = "task_agent.py"


class DomainView(msgspec.Struct, frozen=True):
    """One domain.

    Attributes:
        name: The domain's own name.
        shape: How it is answered and scored.
        metric: Name of its score.
        higher_is_better: Direction of the score.
        items: Number of items by split.
        staged_items: How many train items decide whether the rest is evaluated.
        calls_model: Whether its seed asks a model for each item.
        limits: Bounds of an answer.
        data_sha256: Hash of all inputs and labels.
        readme: What it says of itself, as agents are told.
        task_files: Paths below `task/` of every workspace.
        example: Inputs of the first train item.
        seed: Code of the seed's task agent.
    """

    name: str
    shape: Shape
    metric: str
    higher_is_better: bool
    items: Mapping[str, int]
    staged_items: int
    calls_model: bool
    limits: AnswerLimits
    data_sha256: str
    readme: str
    task_files: tuple[str, ...]
    example: Mapping[str, object]
    seed: str


def view(domain: Domain) -> DomainView:
    """Return what is shown of a domain; of its items, one of train alone."""
    files = task_files(domain)
    seed = {**seed_files(), **domain.seed_files()}
    return DomainView(
        name=domain.name,
        shape=shape_of(domain),
        metric=domain.metric,
        higher_is_better=domain.higher_is_better,
        items=item_counts(domain),
        staged_items=domain.staged_items,
        calls_model=domain.calls_model,
        limits=domain.answer_limits if isinstance(domain, Limited) else AnswerLimits(),
        data_sha256=domain.data_sha256,
        readme=description_of(domain),
        task_files=tuple(sorted(files)),
        example=domain.items("train")[0].inputs,
        seed=seed[TASK_AGENT].decode(errors="replace"),
    )


def example_text(inputs: Mapping[str, object]) -> str:
    """Return inputs as indented JSON, cut where they are long."""
    text = msgspec.json.format(msgspec.json.encode(inputs), indent=2).decode()
    rest = len(text) - LONGEST_INPUTS
    return text if rest <= 0 else f"{text[:LONGEST_INPUTS]}\n... and {rest:,} characters more"


def facts(shown: DomainView) -> list[str]:
    """Return lines about a domain's size, score and limits."""
    items = ", ".join(f"{split} {count}" for split, count in shown.items.items())
    limits = f"{shown.limits.characters:,} characters"
    if shown.limits.cpu_s is not None:
        limits += f", {shown.limits.cpu_s} CPU seconds"
    direction = "higher" if shown.higher_is_better else "lower"
    asks = "asks a model for each item" if shown.calls_model else "asks no model"
    return [
        f"shape   {shown.shape}",
        f"items   {items}; {shown.staged_items} staged",
        f"score   {shown.metric}, {direction} is better",
        f"limits  of an answer: {limits}",
        f"seed    {asks}",
        f"data    {shown.data_sha256}",
    ]
