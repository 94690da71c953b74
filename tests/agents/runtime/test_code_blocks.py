import ast
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.runtime.agent.code_blocks import AnswerError, has_block, merged, take_answer
from hyperspace.tasks.registry import load

SOURCE = '''"""A file."""

import json

LIMIT = 3
WEIGHTS = {
    "a": 1.0,
}


def first(x):
    """Docstring."""
    return x  # same


class TaskAgent:
    """An agent."""

    name = "n"

    def __init__(self, model):
        self.model = model

    def forward(self, inputs):
        text = """
kept at the left edge
"""
        return first(text), []


def last():
    return LIMIT
'''


def test_a_function_takes_the_place_of_its_namesake() -> None:
    result = merged(SOURCE, "def first(x):\n    return x + 1\n")
    assert result == SOURCE.replace(
        '    """Docstring."""\n    return x  # same\n', "    return x + 1\n"
    )


def test_a_constant_takes_the_place_of_its_namesake() -> None:
    assert merged(SOURCE, "WEIGHTS = {}\nLIMIT = 4") == SOURCE.replace(
        'WEIGHTS = {\n    "a": 1.0,\n}', "WEIGHTS = {}"
    ).replace("LIMIT = 3", "LIMIT = 4")


def test_what_is_new_stands_before_the_first_definition_and_imports_behind_imports() -> None:
    block = (
        "import re\nimport json\nfrom math import exp\n\nRULE = 1\n\ndef fresh():\n    return 1\n"
    )
    result = merged(SOURCE, block)
    order = [
        "import json",
        "import re",
        "from math import exp",
        "LIMIT",
        "RULE",
        "def fresh",
        "def first",
    ]
    assert sorted(order, key=result.index) == order
    assert result.count("import json") == 1


def test_methods_are_replaced_one_by_one_whatever_their_depth() -> None:
    for block in (
        "class TaskAgent:\n    def forward(self, inputs):\n        return 1, []\n",
        "class TaskAgent:\n  def forward(self, inputs):\n    return 1, []\n",
        "def forward(self, inputs):\n    return 1, []\n",
        "    def forward(self, inputs):\n        return 1, []\n",
    ):
        result = merged(SOURCE, block)
        assert "return 1, []\n" in result.partition("def last")[0]
        assert "self.model = model" in result
        assert "left edge" not in result


def test_new_methods_come_to_the_end_of_their_class() -> None:
    result = merged(SOURCE, "class TaskAgent:\n    def more(self):\n        return 2\n")
    assert result.index("def forward") < result.index("    def more") < result.index("def last")
    ast.parse(result)


def test_texts_over_several_lines_keep_what_they_say() -> None:
    block = 'class TaskAgent:\n    def forward(self, inputs):\n        return """\nleft\n""", []\n'
    assert '"""\nleft\n"""' in merged(SOURCE, block)


def test_a_block_with_all_that_there_is_replaces_the_file() -> None:
    whole = "LIMIT=WEIGHTS=0\nclass TaskAgent:\n    name = 1\n    def __init__(self, model): ...\n"
    whole += (
        "    def forward(self, inputs): return 1\ndef first(x): return 2\ndef last(): return 3\n"
    )
    assert merged(SOURCE, whole) == whole


def test_examples_of_use_are_left_out() -> None:
    block = (
        "def first(x):\n    return 2\n\nprint(first(1))\nif __name__ == '__main__':\n    first(2)\n"
    )
    assert "print" not in merged(SOURCE, block)
    assert "__main__" not in merged(SOURCE, block)


ANSWERS = {
    "fenced": "```python\ndef last():\n    return 9\n```",
    "prose first": "Sure! Here it is:\n\n```python\ndef last():\n    return 9\n```\nIt returns 9.",
    "without a language": "```\ndef last():\n    return 9\n```",
    "tildes": "~~~py\ndef last():\n    return 9\n~~~",
    "named beside the fence": "```python task_agent.py\ndef last():\n    return 9\n```",
    "named as the language": "```task_agent.py\ndef last():\n    return 9\n```",
    "named in a comment": "```python\n# task_agent.py\ndef last():\n    return 9\n```",
    "named above": "**task_agent.py**:\n```python\ndef last():\n    return 9\n```",
    "a call and a block": '```json\n{"name": "x"}\n```\n```python\ndef last():\n    return 9\n```',
    "no fence": "def last():\n    return 9\n",
    "prose and no fence": "Here it is:\n\ndef last():\n    return 9\n\nThis returns 9.",
    "cut in the next function": "```python\ndef last():\n    return 9\n\ndef other(x):\n    if x >",
    "carriage returns": "```python\r\ndef last():\r\n    return 9\r\n```\r\n",
}


@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS)
def test_each_form_of_an_answer_is_taken(text: str) -> None:
    assert has_block(text)
    (changed,) = take_answer(text, {"task_agent.py": SOURCE, "meta_agent.py": ""}).items()
    assert changed == ("task_agent.py", SOURCE.replace("return LIMIT", "return 9"))


def test_blocks_change_the_files_that_they_name() -> None:
    text = "```python\n# meta_agent.py\nTRIES = 2\n```\n```python\nLIMIT = 1\n```"
    files = {"task_agent.py": SOURCE, "meta_agent.py": "TRIES = 1\n\n\ndef f(): pass\n"}
    changed = take_answer(text, files)
    assert changed["meta_agent.py"].startswith("TRIES = 2\n")
    assert "LIMIT = 1\n" in changed["task_agent.py"]


REFUSED = {
    "I would change the weights.": "no block of Python",
    "```json\n{}\n```": "no block of Python",
    "```python\ndef last(:\n```": "line 1: invalid syntax",
    "```python\ndef last():\n    if x >": "cut off",
    "```python\nprint(1)\n```": "defines nothing",
    "```python\n# ... rest of the code\n```": "defines nothing",
    "```python\ndef last():\n    ...\n```": "the body of last was left out",
    '```python\ndef first(x):\n    """Same."""\n    pass\n```': "the body of first was left out",
    "```python\nLIMIT = 3\n```": "holds already",
    "```python other.py\nLIMIT = 4\n```": "other.py is no file to change; there are task_agent.py",
    "x" * 500_000: "over 400000 characters",
}


@pytest.mark.parametrize("text", REFUSED)
def test_an_answer_that_cannot_be_taken_says_why(text: str) -> None:
    with pytest.raises(AnswerError, match=REFUSED[text]):
        take_answer(text, {"task_agent.py": SOURCE})


def test_odd_answers_are_soon_refused() -> None:
    begun = time.process_time()
    for text in (
        "```\n" * 100_000,
        "(" * 390_000,
        "```python\n" + "(" * 300_000,
        "def f(\n" * 50_000,
    ):
        with pytest.raises(AnswerError):
            take_answer(text, {"task_agent.py": SOURCE})
    assert time.process_time() - begun < 20  # not a measure of speed: unbounded ones take hours


@pytest.mark.parametrize("name", ["repo_quality", "email_validation", "snake", "support"])
def test_each_definition_of_a_seed_put_into_it_leaves_it_as_it_is(name: str) -> None:
    source = load(name).seed_files()["task_agent.py"].decode()
    for node in ast.parse(source).body:
        lines = source.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno]
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign):
            assert merged(source, "".join(lines)) == source


@pytest.mark.long
@given(st.text(), st.sampled_from(["", "```python\n", "def f():\n ", "class A:\n  "]))
def test_no_answer_is_too_odd_to_be_read(text: str, begin: str) -> None:
    try:
        for code in take_answer(begin + text, {"task_agent.py": SOURCE}).values():
            ast.parse(code)
    except AnswerError as error:
        assert str(error)
