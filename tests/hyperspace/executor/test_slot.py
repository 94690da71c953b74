"""What a slot holds, as people write it."""

import pytest

from hyperspace.executor.names import parse_resources
from hyperspace.executor.resources import Resources


def test_what_is_not_named_is_one_core_and_nothing_else() -> None:
    assert parse_resources("gpus=1") == Resources(1.0, 1.0, 0)
    assert parse_resources("memory_gb=0.5,cpus=2") == Resources(2.0, 0.0, 500_000_000)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "'' is no part of a slot"),
        ("cores=2", "'cores=2' is no part of a slot; write cpus=N,gpus=N,memory_gb=N"),
        ("cpus=-1", "'cpus=-1' is no part"),
        ("cpus=1,cpus=2", "cpus is named twice"),
        ("cpus=0", "name cpus above 0"),
    ],
)
def test_what_is_no_slot_is_said(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_resources(text)
