"""Code in a prompt stays code: its own fences close nothing."""

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.extensions.levels.worker import LONGEST_CODE, quoted


@given(st.text("`\n~a #", max_size=60))
def test_code_that_holds_a_fence_stands_between_longer_ones(code: str) -> None:
    first, *inner, last, after = quoted(code).split("\n")
    fence = first.removesuffix("python")
    assert (after, last, {*fence}) == ("", fence, {"`"})
    assert all(fence not in line for line in inner)
    assert "\n".join(inner) == code


def test_plain_code_stands_between_the_usual_ones() -> None:
    assert quoted("x = '`'\n") == "```python\nx = '`'\n\n```\n"
    assert quoted("x" * LONGEST_CODE + "y").endswith(
        "\n# ... cut here; the rest is in the file\n```\n"
    )
