import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.models.base import AuthFailed
from hyperspace.models.providers import (
    BY_PROTOCOL,
    PROVIDERS,
    find_provider,
    hosted,
    read_env_file,
    settings,
)
from tests.support.paths import ROOT


def parsed(folder: Path, text: str) -> dict[str, str]:
    path = folder / ".env"
    path.write_text(text)
    return read_env_file(path)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("OPENAI_API_KEY=sk-1", "sk-1"),
        ("export OPENAI_API_KEY=sk-1", "sk-1"),
        ("  OPENAI_API_KEY = sk-1  ", "sk-1"),
        ("OPENAI_API_KEY='sk 1 # 2'", "sk 1 # 2"),
        ('OPENAI_API_KEY="sk-1" # mine', "sk-1"),
        ("OPENAI_API_KEY=sk-1 # mine", "sk-1"),
        ("\ufeffOPENAI_API_KEY=sk-1", "sk-1"),
        ("OPENAI_API_KEY=sk=1==\r\n", "sk=1=="),
        ("OPENAI_API_KEY=", ""),
        ("OPENAI_API_KEY=$HOME", "$HOME"),
    ],
)
def test_a_line_is_read(line: str, value: str, tmp_path: Path) -> None:
    assert parsed(tmp_path, f"{line}\n\n# keys\n") == {"OPENAI_API_KEY": value}


def test_what_is_none_of_ours_is_passed_over(tmp_path: Path) -> None:
    text = 'DATABASE="x\ny"\n-----BEGIN-----\nPATH=/evil\nLD_PRELOAD=/evil.so\n'
    assert parsed(tmp_path, text) == {}
    assert read_env_file(tmp_path / "nothing") == {}


@pytest.mark.parametrize(
    "line", ["OPENAI_API_KEY sk-1", "OPENAI_API_KEY=a b", "OPENAI_API_KEY=a#b"]
)
def test_a_line_of_ours_that_makes_no_sense_is_named_and_not_shown(
    line: str, tmp_path: Path
) -> None:
    with pytest.raises(AuthFailed, match="line 2 makes no sense") as caught:
        parsed(tmp_path, f"\n{line}")
    assert line not in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"#" * 1_000_002])
def test_a_file_that_is_no_file_of_keys_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(AuthFailed, match=r"\.env"):
        read_env_file(tmp_path / ".env")
    with pytest.raises(AuthFailed, match="no file of keys"):
        read_env_file(tmp_path)


def test_an_address_from_the_file_gets_no_key_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "GEMINI_BASE_URL", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "environment")
    monkeypatch.setenv("GOOGLE_API_KEY", "environment")
    urls = "OPENAI_BASE_URL=https://evil\nGEMINI_BASE_URL=https://mine\nGEMINI_API_KEY=file\n"
    (tmp_path / ".env").write_text(urls)
    variables = settings(tmp_path)
    assert "environment" not in variables.values()
    assert variables["GEMINI_API_KEY"] == "file"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://mine")
    assert settings(tmp_path)["OPENAI_API_KEY"] == "environment"


def test_the_environment_goes_before_the_file_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=file\nGEMINI_API_KEY=file\nVLLM_BASE_URL=u\n")
    code = (
        "import os; from hyperspace.models.providers import settings; before = dict(os.environ);"
        "print(sorted(settings().items()), dict(os.environ) == before)"
    )
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "environment"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    variables = (
        "[('GEMINI_API_KEY', 'file'), ('OPENAI_API_KEY', 'environment'), ('VLLM_BASE_URL', 'u')]"
    )
    assert done.stdout == f"{variables} True\n"


def test_a_provider_with_a_hyphen_asks_for_a_variable_that_a_shell_can_set() -> None:
    provider = hosted("my-lab", "https://lab.example/v1")
    assert provider.key_variables == ("MY_LAB_API_KEY",)
    assert provider.url_variable == "MY_LAB_BASE_URL"


# Names of `openai/types/shared/responses_model.py` and `chat_model.py` in the SDK.
ON_RESPONSES = [
    *("o1-pro", "o1-pro-2025-03-19", "o3-pro", "o3-pro-2025-06-10", "o3-deep-research"),
    *("o4-mini-deep-research-2025-06-26", "gpt-5-pro", "gpt-5-pro-2025-10-06", "gpt-5.2-pro"),
    *("gpt-5.5-pro", "gpt-5-codex", "gpt-5.1-codex", "gpt-5.1-codex-max", "codex-mini-latest"),
    *("gpt-daybreak-blue-latest", "gpt-6-cyber", "gpt-rosalind-research", "gpt-6-rosalind"),
]
ON_CHAT = [
    *(
        "gpt-5",
        "gpt-5.2-2025-12-11",
        "gpt-5.2-chat-latest",
        "gpt-4o-mini-search-preview",
        "o3-mini",
    ),
    *("o1-2024-12-17", "chatgpt-4o-latest", "gpt-4.1-nano", "gpt-5-production", "o4-mini"),
    *("ft:gpt-4o:org:my-pro:1", "gpt-audio-mini"),
]


@pytest.mark.parametrize("model", [*ON_RESPONSES, *ON_CHAT])
def test_one_provider_alone_answers_for_a_name_of_openai(model: str) -> None:
    wire = "openai-responses" if model in ON_RESPONSES else "openai"
    fits = [each.id for each in PROVIDERS if re.fullmatch(each.names, model)]
    assert fits == [wire]
    assert find_provider(model) == (BY_PROTOCOL[wire], model)
