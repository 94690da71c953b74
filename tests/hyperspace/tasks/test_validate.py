"""A domain that no run can hold is refused in one sentence when it is loaded."""

from collections.abc import Mapping
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.validate import check_usable

GOOD = {"README.md": b"Do it.\n"}


def domain(
    inputs: Mapping[str, Any] | None = None, name: str = "mine", **files: Any
) -> GradedDomain:
    items: dict[Split, list[Item]] = {
        split: [Item(f"{split}-0", dict(inputs or {}))] for split in SPLITS
    }
    return GradedDomain(name, items, smoke_inputs={}, **files)


class Talking(GradedDomain):
    """A domain that says something of itself."""

    def __init__(self, description: Any) -> None:
        every: dict[Split, list[Item]] = {split: [Item(f"{split}-0", {})] for split in SPLITS}
        super().__init__("mine", every, smoke_inputs={})
        self._description = description

    @property
    def description(self) -> Any:
        return self._description


def test_a_plain_domain_is_usable_whatever_its_ids_hold() -> None:
    odd: dict[Split, list[Item]] = {
        split: [Item(f"../{split}\n,{'x' * 10_000}", {})] for split in SPLITS
    }
    check_usable(domain(task_files=GOOD, seed_files={"task_agent.py": b"", "lib/a.py": b""}))
    check_usable(GradedDomain("mine", odd, smoke_inputs={}))


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (domain(task_files={"../x": b""}), "the task file '../x' is no plain relative path"),
        (domain(task_files={"/etc/x": b""}), "the task file '/etc/x' is no plain relative path"),
        (domain(task_files={"README.md": "text"}), "the task file 'README.md' is str, not bytes"),
        (domain(task_files={"big": b"1" * 20_000_000}), "its task files have 20,000,000 bytes"),
        (domain(seed_files={"../x.py": b""}), "the seed file '../x.py' is no plain relative path"),
        (
            domain(seed_files={"agent/llm_client.py": b""}),
            "the seed file 'agent/llm_client.py' lies in a folder that is not the agent's to write",
        ),
        (domain({"text": "a" * 10_000_000}), "the inputs of 'train-0' have 10,000,011 bytes"),
        (domain(staged_items=-5), "its staged_items are -5"),
        (Talking(5), "its description is int, not text"),
        (Talking("a\ud800"), "its description holds what UTF-8 cannot carry"),
        (Talking("a" * 70_000), "its description has more than 65,536 bytes"),
        (domain(name="a/../b"), "its name 'a/../b' is not of lower-case letters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_run_can_hold_is_told_in_a_sentence(broken: GradedDomain, told: str) -> None:
    with pytest.raises(DomainDataError) as caught:
        check_usable(broken)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_inputs_that_are_no_json_are_told() -> None:
    broken = domain()
    odd: dict[Split, list[Item]] = {"val": [Item("val-0", {"x": object()})]}
    with pytest.raises(DomainDataError, match="the inputs of 'val-0' are not JSON values"):
        check_usable(broken.with_items(odd))
