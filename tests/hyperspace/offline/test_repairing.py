from dataclasses import replace
from pathlib import Path

import pytest

from hyperspace.offline.moves.tuning import Diagnosis, next_sentence
from hyperspace.offline.policies.tuners import Tinker
from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.table import Row, TableDomain
from hyperspace.workspace.seed_code import seed_files
from tests.support.runs.simulation import Generation, converse, lay_out

SEED = seed_files()["task_agent.py"].decode()
LABELS = {"no": 3, "yes": 1}
NAMING = "The response is exactly one of these labels: no, yes."
FORM = "The response is the label alone, in lower case."


def asking_domain() -> TableDomain:
    def rows(split: Split) -> tuple[Row, ...]:
        return tuple(
            Row(f"{split}-{i}", {"question": "?"}, "yes" if i == 0 else "no") for i in range(4)
        )

    return TableDomain("asking", {split: rows(split) for split in SPLITS}, smoke_inputs={})


def repaired(space: Path, past: list[Generation]) -> str:
    lay_out(space, asking_domain(), past, [])
    converse(Tinker(), space, 1)
    return (space / "task_agent.py").read_text("utf-8")


@pytest.mark.long
def test_the_standard_seed_learns_to_name_the_labels_then_where_answers_lean(
    tmp_path: Path,
) -> None:
    none = {f"train-{i}": "None" for i in range(4)}
    first = Generation(0, SEED, 0.0, 0.0, 0.0, none)
    named = repaired(tmp_path / "1", [first])
    assert named == SEED.replace('</json>"""', f'</json>\n{NAMING}"""')
    yes = {f"train-{i}": "yes" for i in range(4)}
    second = Generation(1, named, 0.25, 0.25, 0.25, yes)
    leaning = repaired(tmp_path / "2", [first, second])
    assert "Earlier answers were yes too often and no too seldom." in leaning
    compile(leaning, "task_agent.py", "exec")


@pytest.mark.long
def test_a_repair_that_hurt_is_taken_back(tmp_path: Path) -> None:
    good = Generation(0, SEED, 0.5, 0.5, 0.5, {})
    bad = replace(good, number=1, val=0.0, code=SEED.replace("</json>", "</json> Shout."))
    assert "Shout" not in repaired(tmp_path, [good, bad])


@pytest.mark.parametrize(
    ("predicted", "prompt", "sentence"),
    [
        ({"none": 4}, "Decide.", NAMING),
        ({"yes!": 4}, f"Decide. {NAMING}", FORM),
        ({"yes!": 4}, f"Decide. {NAMING} {FORM}", None),
        ({"no": 3, "yes": 1}, f"Decide. {NAMING}", None),
    ],
)
def test_the_next_sentence_follows_from_what_is_wrong(
    predicted: dict[str, int], prompt: str, sentence: str | None
) -> None:
    assert next_sentence(Diagnosis(LABELS, predicted, prompt), 1) == sentence


@pytest.mark.parametrize(
    "labels", [{"only": 4}, {'a"b': 1, "c": 1}, dict.fromkeys("abcdefghijklm", 1)]
)
def test_what_is_no_set_of_labels_is_left_alone(labels: dict[str, int]) -> None:
    assert next_sentence(Diagnosis(labels, {}, "Decide."), 1) is None
