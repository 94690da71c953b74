"""Items, what is sealed, and what a split is."""

import sys
from types import ModuleType
from typing import Any

import msgspec
import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.polyglot.cases import PUBLIC, SEALED, draw_cases, judge
from hyperspace.tasks.polyglot.catalogue import EXERCISES, exercise
from hyperspace.tasks.polyglot.domain import PolyglotDomain
from hyperspace.tasks.polyglot.languages import LANGUAGES, choose_languages, missing_tools
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Executed, VerifiedBySandbox

ANSWERS = ("[1,2]", '{"a":1}', "null", '"x"')


def polyglot(**options: object) -> PolyglotDomain:
    query = "&".join(f"{key}={value}" for key, value in options.items())
    domain = load(f"polyglot?{query}")
    assert isinstance(domain, PolyglotDomain)
    return domain


def test_it_has_the_shapes_that_it_says() -> None:
    domain = polyglot(languages="python")
    assert isinstance(domain, VerifiedBySandbox | Renewable | Documented)
    assert domain.calls_model
    assert domain.tools == ()
    assert domain.task_files().keys() == {"README.md"}


def test_equal_options_give_equal_data_and_another_seed_other_data() -> None:
    first = polyglot(languages="python").data_sha256
    assert first == polyglot(languages="python", rows_seed=1).data_sha256
    assert first != polyglot(languages="python", rows_seed=2).data_sha256


def test_an_exercise_is_in_one_split_in_every_language() -> None:
    names = [name for split in SPLITS for name in EXERCISES[split]]
    assert len(names) == len(set(names))
    if missing_tools("javascript"):
        pytest.skip("no node: one language only")
    domain = polyglot(languages="python,javascript")
    assert [len(domain.items(split)) for split in SPLITS] == [16, 12, 12]
    python, javascript = domain.items("train")[:2]
    assert (python.inputs["language"], javascript.inputs["language"]) == ("python", "javascript")
    assert python.inputs["cases"] == javascript.inputs["cases"]
    assert domain.tools == ("node",)


def test_sealed_cases_are_in_no_item() -> None:
    domain = polyglot(languages="python")
    shown = msgspec.json.encode([domain.items(split) for split in SPLITS]).decode()
    for names in EXERCISES.values():
        for name in names:
            cases = draw_cases(exercise(name), 1)
            assert (len(cases.public), len(cases.inputs), len(cases.answers)) == (12, 40, 40)
            assert (PUBLIC, SEALED) == (12, 40)
            assert not set(cases.inputs) & {given for given, _ in cases.public}
            assert msgspec.json.encode(cases.public[0][0]).decode() in shown
            assert not any(msgspec.json.encode(line).decode() in shown for line in cases.inputs)


def test_epochs_have_the_exercises_and_no_case_in_common() -> None:
    domain = polyglot(languages="python")
    assert domain.renewed(0) is domain
    renewed = domain.renewed(2)
    assert renewed.items("train") == domain.items("train")
    assert renewed.items("test") == domain.items("test")
    ids = {item.id for split in SPLITS for item in domain.items(split)}
    assert ids.isdisjoint(item.id for item in renewed.items("val"))
    assert (renewed.name, renewed.data_sha256) == (domain.name, domain.data_sha256)
    for name in EXERCISES["val"]:
        lines: list[str] = []
        for epoch in range(3):
            cases = draw_cases(exercise(name), 1, epoch)
            lines += [*cases.inputs, *(given for given, _ in cases.public)]
        assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"languages": "cobol"}, "no language 'cobol'; there are python, javascript"),
        ({"rows_seed": -1}, "rows_seed"),
        ({"language": "python"}, "languages, rows_seed"),
    ],
)
def test_bad_options_are_one_sentence(options: dict[str, object], words: str) -> None:
    with pytest.raises(DomainDataError, match=words):
        polyglot(**options)


def test_a_missing_toolchain_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(DomainDataError, match=r"c cannot run here: gcc .*apt-get install gcc"):
        choose_languages("c")
    assert "python" in choose_languages("")


@pytest.mark.parametrize(
    ("stdout", "passed", "reason"),
    [
        ('[1,2]\n{"a":1}\nnull\n"x"\n', 4, ""),
        ('[1, 2]\r\n{ "a" :1}\nnull\n"x"', 4, ""),
        ("", 0, "0 lines for 4 cases"),
        ('[1,2]\n{"a":1}\nnull\n"x"\n\n', 4, "5 lines for 4 cases"),
        ('[1,2]\n{"a":1}\nnull\n', 3, "3 lines for 4 cases"),
        ('[1,2]\n{"a":1,"a":1}\nnull\n"x"\n', 3, "case 2 of 4 is wrong"),
        ('[1.0,2]\n{"a":true}\nNaN\n"X"\n', 0, "case 1 of 4 is wrong"),
        ('[1,2]\n{"a":1e400}\nnull\n"x"\n', 3, "case 2 of 4 is wrong"),
        ('[1,2]\n{"a":1}\n' + "[" * 100_000 + '\n"x"\n', 3, "case 3 of 4 is wrong"),
        ("1" * 100_000 + '\n{"a":1}\nnull\n"x"\n', 3, "case 1 of 4 is wrong"),
    ],
)
def test_lines_are_compared_as_values(stdout: str, passed: int, reason: str) -> None:
    outcome = judge(Executed(stdout), ANSWERS)
    assert (outcome.details["passed"], outcome.reason) == (passed, reason)
    assert outcome.score == (1.0 if not reason else 0.0)


def test_a_program_that_fails_has_nothing_right() -> None:
    outcome = judge(Executed("", "command 1 of 1 ended with status 1"), ANSWERS)
    assert outcome.score == 0.0
    assert outcome.reason == "command 1 of 1 ended with status 1"


def seed_agent(reply: str, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The seed's agent on a model that always gives one reply."""

    def chat(history: list[dict[str, str]], _model: str) -> dict[str, str]:
        asked.append(history[-1]["content"])
        return {"text": reply}

    client = ModuleType("agent.llm_client")
    vars(client)["chat"] = chat
    monkeypatch.setitem(sys.modules, "agent", ModuleType("agent"))
    monkeypatch.setitem(sys.modules, "agent.llm_client", client)
    names: dict[str, Any] = {"__name__": "task_agent"}
    source = polyglot(languages="python").seed_files()["task_agent.py"]
    exec(source, names)  # noqa: S102  as a sandbox does
    return names["TaskAgent"]("m")


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ("Here:\n```python\nprint(1)\n```\nDone.", "print(1)\n"),
        ("```\na\n```\nor\n```\nb\n```", "a\n"),
        ("print(2)", "print(2)"),
    ],
)
def test_the_seed_takes_the_program_out_of_the_reply(
    reply: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    agent = seed_agent(reply, asked, monkeypatch)
    item = polyglot(languages="python").items("train")[0]
    assert agent.forward(item.inputs)[0] == code
    assert item.inputs["problem_statement"] in asked[0]
    assert item.inputs["cases"][0]["output"] in asked[0]
    assert agent.forward(polyglot(languages="python").smoke_item().inputs)[0] == code


def test_the_readme_names_the_commands_that_run() -> None:
    readme = polyglot(languages="python").task_files()["README.md"].decode()
    assert len(readme.splitlines()) <= 60
    for name, language in LANGUAGES.items():
        assert f"| {name} | {language.file} |" in readme
        for step in language.steps:
            assert " ".join(step).replace("{python}", "python") in readme
