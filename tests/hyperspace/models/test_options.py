import pytest

from hyperspace.models.base import UnknownModel
from hyperspace.models.names import ModelOptions, lesser, options_of


def test_options_are_read_from_the_name() -> None:
    name = "claude-x?temperature=0&max_tokens=4000&reasoning_effort=high&thinking=2048&tools=text"
    assert options_of(name) == ModelOptions(
        temperature=0.0, max_tokens=4000, reasoning_effort="high", thinking="2048", tools="text"
    )
    assert options_of("m?stream=on@http://h/v1?timeout_s=5") == ModelOptions(
        stream="on", timeout_s=5.0
    )
    assert options_of("gpt-5") == ModelOptions()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("heat=1", "options are temperature, top_p"),
        ("temperature=hot", "temperature"),
        ("temperature=nan", "0 to 2"),
        ("temperature=-1", "0 to 2"),
        ("top_p=7", "0 to 1"),
        ("max_tokens=0", "at least 1"),
        ("max_tokens=1.5", "max_tokens"),
        ("thinking=5", "budget of at least 1024"),
        ("thinking=maybe", "adaptive"),
        ("tools=none", "tools"),
        ("timeout_s=inf", "timeout_s"),
        ("seed", "malformed"),
    ],
)
def test_a_wrong_option_says_what_is_right(options: str, problem: str) -> None:
    with pytest.raises(UnknownModel, match=problem):
        options_of(f"claude-x?{options}")


def test_the_smaller_bound_holds() -> None:
    assert (lesser(5, 3), lesser(None, 3), lesser(5, None), lesser(None, None)) == (3, 3, 5, None)
