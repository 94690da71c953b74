import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.models.base import UnknownModel
from hyperspace.models.names import ModelName, parse_options, slug, split_name


@pytest.mark.parametrize(
    ("name", "taken_apart"),
    [
        ("m@http://h:1/v1", ModelName("m", "http://h:1/v1")),
        ("org/m@https://h/v1/", ModelName("org/m", "https://h/v1")),
        ("a@b@http://h/v1", ModelName("a@b", "http://h/v1")),
        ("m@home", ModelName("m@home", "")),
        ("offline/tinker?x=1", ModelName("offline/tinker?x=1", "")),
    ],
)
def test_a_name_is_taken_apart_at_its_endpoint(name: str, taken_apart: ModelName) -> None:
    assert split_name(name) == taken_apart


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("offline/tinker?trials=20&path=a/b", "tinker"),
        ("claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("gpt-5.2", "gpt-5.2"),
        ("accounts/fireworks/routers/kimi-k2p5-turbo", "kimi-k2p5-turbo"),
        ("openai-responses:org/M_1?top_p=1@https://h/v1", "m-1"),
        ("Qwen/Qwen3_8B@http://127.0.0.1:8000/v1", "qwen3-8b"),
        ("..", "agent"),
        ("", "agent"),
        ("../../etc/passwd", "passwd"),
    ],
)
def test_an_agent_is_named_after_its_model(name: str, agent: str) -> None:
    assert slug(name) == agent


@given(st.text())
def test_a_slug_is_fit_for_paths_whatever_the_name(name: str) -> None:
    made = slug(name)
    assert made.strip(".-") == made != ""
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert len(made) <= 64


def test_options_are_read() -> None:
    assert parse_options("a=1&b=x=y&", "n") == {"a": "1", "b": "x=y"}
    assert parse_options("", "n") == {}


@pytest.mark.parametrize("text", ["a", "=1", "a=1&a=2"])
def test_malformed_options_are_a_usage_error(text: str) -> None:
    with pytest.raises(UnknownModel, match="malformed or repeated"):
        parse_options(text, "offline/x?" + text)
