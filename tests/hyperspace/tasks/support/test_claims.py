"""What an answer claims does not depend on how the page's names are looked for."""

import re

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.tasks.support.score import grade

NAMES = ["Belado", "Corena", "Danibo", "Fenika", "Galimo"]
PIECES = st.sampled_from(
    [*NAMES, "Belad", "Bel", " ", ". ", "; ", "\n", "! ", "7", "12", "007", "3.5", "x"]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(NAMES), st.sampled_from([7, 12]))
def test_a_fact_is_right_beside_the_last_name_before_it_or_the_first_behind(
    answer: str, product: str, value: int
) -> None:
    claims: set[tuple[str, str]] = set()
    for sentence in re.split(r"[.;!?](?:\s|$)|\n", answer):
        tokens = re.findall("|".join([*NAMES, r"\d+"]), sentence)
        last = next((token for token in tokens if token in NAMES), "")
        for token in tokens:
            if token in NAMES:
                last = token
            else:
                claims.add((last, token.lstrip("0") or "0"))
    graded = grade({"products": NAMES, "facts": [[product, value]]}, answer)
    assert graded.right == ((product, str(value)) in claims)
    assert graded.nameless == (not graded.right and ("", str(value)) in claims)
