import subprocess
import sys

import anyio
import msgspec
import pytest

from hyperspace.lookup.offline import OfflineModel
from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatReply, ChatRequest, Message, ToolCall
from hyperspace.models.base import AuthFailed, BadRequest, UnknownModel, address_of
from hyperspace.offline.policies.scripted import ScriptedPolicy, ScriptedReply
from tests.support.servers.faulty_server import faulty_server
from tests.support.servers.wires import HELLO, anthropic_message, completion, json_answer, response

KEYS = {
    "ANTHROPIC_API_KEY": "key-of-anthropic",
    "OPENAI_API_KEY": "key-of-openai",
    "FIREWORKS_API_KEY": "key-of-fireworks",
    "OPENROUTER_API_KEY": "key-of-openrouter",
    "GOOGLE_API_KEY": "key-of-gemini",
    "DEEPSEEK_API_KEY": "key-of-deepseek",
}

# Short enough that no provider wants it streamed.
SHORT = msgspec.structs.replace(HELLO, max_tokens=99)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def test_an_offline_policy_is_found_with_its_options() -> None:
    model = resolve("offline/tinker?trials=20")
    assert (model.name, model.offline) == ("offline/tinker?trials=20", True)


@pytest.mark.parametrize("name", ["gpt-6", "gpt-6?tools=text"])
def test_one_name_at_two_addresses_is_two_models(name: str) -> None:
    environs = ({**KEYS, "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"} for port in (1, 2))
    addresses = [address_of(resolve(name, environ)) for environ in environs]
    assert addresses == ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"]


@pytest.mark.parametrize(
    ("name", "provider", "path", "asked_for"),
    [
        ("claude-sonnet-4-6", "anthropic", "/v1/messages", "claude-sonnet-4-6"),
        ("gpt-5.2?reasoning_effort=high", "openai", "/chat/completions", "gpt-5.2"),
        ("o3-mini", "openai", "/chat/completions", "o3-mini"),
        ("o3-pro?reasoning_effort=high", "openai", "/responses", "o3-pro"),
        ("gpt-5.1-codex-max", "openai", "/responses", "gpt-5.1-codex-max"),
        ("openai-responses:gpt-5.2", "openai", "/responses", "gpt-5.2"),
        ("openai:gpt-5-pro", "openai", "/chat/completions", "gpt-5-pro"),
        (
            "accounts/fireworks/routers/kimi-k2p5-turbo",
            "fireworks",
            "/v1/chat/completions",
            "accounts/fireworks/routers/kimi-k2p5-turbo",
        ),
        ("openrouter/qwen/qwen3.6-plus", "openrouter", "/chat/completions", "qwen/qwen3.6-plus"),
        ("gemini/gemini-3-pro", "gemini", "/chat/completions", "gemini-3-pro"),
        ("deepseek/deepseek-chat", "deepseek", "/chat/completions", "deepseek-chat"),
        ("ollama/llama3:8b", "ollama", "/chat/completions", "llama3:8b"),
        ("vllm/Qwen/Qwen3-8B", "vllm", "/chat/completions", "Qwen/Qwen3-8B"),
    ],
)
@pytest.mark.anyio
async def test_a_providers_name_leads_to_its_address_with_its_key(
    name: str, provider: str, path: str, asked_for: str
) -> None:
    answer = {**completion(), **anthropic_message(), **response()}
    with faulty_server(json_answer(answer)) as server:
        environ = {**KEYS, f"{provider.upper()}_BASE_URL": server.root}
        model = resolve(name, environ)
        assert (await model.complete(SHORT)).text == "hello"
        await model.aclose()
        ((body, headers),) = server.asked
        assert (server.paths, body["model"], model.name) == ([path], asked_for, name)
    has_key = provider not in ("ollama", "vllm")
    assert headers["authorization"] == f"Bearer {f'key-of-{provider}' if has_key else 'none'}"


@pytest.mark.parametrize(
    ("form", "path"),
    [
        ("m@{}/v1", "/v1/chat/completions"),
        ("m@{}/v1?temperature=0.2", "/v1/chat/completions"),
        ("m?temperature=0.2@{}/v1", "/v1/chat/completions"),
        ("openai:m@{}/v1", "/v1/chat/completions"),
        ("openai-responses:m@{}/v1", "/v1/responses"),
        ("openai-responses:m?temperature=0.2@{}/v1", "/v1/responses"),
        ("anthropic:m@{}", "/v1/messages"),
        ("anthropic:m@{}/v1", "/v1/messages"),
        ("fireworks:m@{}", "/v1/chat/completions"),
        ("fireworks:m@{}/inference/v1", "/inference/v1/chat/completions"),
    ],
)
@pytest.mark.anyio
async def test_an_endpoint_in_the_name_needs_no_key(form: str, path: str) -> None:
    answer = {**completion(), **anthropic_message(), **response()}
    with faulty_server(json_answer(answer)) as server:
        model = resolve(form.format(server.root), environ={})
        await model.complete(SHORT)
        await model.aclose()
        assert server.paths == [path]
        body = server.asked[0][0]
    assert body["model"] == "m"
    assert body.get("temperature") == (0.2 if "temperature" in form else None)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("claude-x", "ANTHROPIC_API_KEY"),
        ("gpt-5", "OPENAI_API_KEY"),
        ("gpt-5-pro", "OPENAI_API_KEY"),
        ("accounts/fireworks/models/x", "FIREWORKS_API_KEY"),
        ("gemini/x", "GEMINI_API_KEY or GOOGLE_API_KEY"),
    ],
)
def test_a_missing_key_is_named_before_anything_is_sent(name: str, variable: str) -> None:
    with pytest.raises(AuthFailed, match=f"set {variable} in the environment or in a file .env"):
        resolve(name, environ={})


@pytest.mark.anyio
async def test_a_key_is_not_sent_where_it_can_be_read_on_the_way() -> None:
    # 0.0.0.0 is this machine, but no address that promises to be.
    with faulty_server(json_answer(completion())) as server:
        url = server.root.replace("127.0.0.1", "0.0.0.0")  # noqa: S104
        model = resolve("gpt-x", {**KEYS, "OPENAI_BASE_URL": url})
        await model.complete(SHORT)
        await model.aclose()
        assert server.asked[0][1]["authorization"] == "Bearer none"


@pytest.mark.parametrize("key", ["with space", "two\nlines", "smart\u201d", "back\\slash"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(AuthFailed, match="OPENAI_API_KEY holds characters") as caught:
        resolve("gpt-5", {"OPENAI_API_KEY": key})
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "m@http://user:password@host/v1",
        "m@https://password@host",
        "anthropic:m@http://u:password@h",
    ],
)
def test_a_password_in_a_name_is_refused_and_not_shown(name: str) -> None:
    with pytest.raises(UnknownModel, match="no user and no password") as caught:
        resolve(name, KEYS)
    assert "user:password" not in str(caught.value)


@pytest.mark.parametrize("url", ["https://u:sesame@h/v1", "https://h/v1?key=sesame"])
def test_a_secret_in_a_base_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UnknownModel, match="OPENAI_BASE_URL holds") as caught:
        resolve("gpt-5", {**KEYS, "OPENAI_BASE_URL": url})
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "llama", "offline", "@http://127.0.0.1:1/v1"])
def test_an_unknown_name_says_what_there_is(name: str) -> None:
    with pytest.raises(
        UnknownModel, match=r"nearest: offline/.*claude-\*.*NAME@http://HOST:PORT/v1"
    ):
        resolve(name, {})


@pytest.mark.parametrize(
    "name", ["m@http://", "m@http://:80/v1", "m@http://h:0", "m@http://h\n/v1", "m@http://h h"]
)
def test_an_address_that_is_none_is_a_usage_error(name: str) -> None:
    with pytest.raises(UnknownModel, match="is no address"):
        resolve(name, {})


@pytest.mark.parametrize("name", ["m@ftp://h", "m@htp://h/v1", "openai:m@HTP://h?max_tokens=1"])
def test_an_address_of_another_kind_is_named(name: str) -> None:
    with pytest.raises(UnknownModel, match=r"begins with (ftp|htp):"):
        resolve(name, {})


def test_an_unknown_policy_says_which_are_like_it() -> None:
    with pytest.raises(UnknownModel, match=r"nearest are tinker,.*hyperspace models lists all"):
        resolve("offline/tinkr")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "loaded"),
    [
        ("offline/tinker", []),
        ("m@http://127.0.0.1:1/v1", ["openai"]),
        ("openai-responses:m@http://127.0.0.1:1/v1", ["openai"]),
        ("anthropic:m@http://127.0.0.1:1", ["anthropic"]),
        ("fireworks:m@http://127.0.0.1:1", ["fireworks"]),
    ],
)
def test_only_the_sdk_that_is_needed_is_loaded(name: str, loaded: list[str]) -> None:
    code = (
        f"import sys; from hyperspace.lookup.resolve import resolve; resolve({name!r}, {{}});"
        "print([name for name in ('openai', 'anthropic', 'fireworks') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{loaded}\n"


@pytest.mark.anyio
async def test_no_key_is_in_a_repr() -> None:
    for name in ("claude-x", "gpt-5", "accounts/fireworks/models/x"):
        model = resolve(name, KEYS)
        await model.aclose()
        seen: list[object] = [model]
        for thing in seen:  # all that hangs on the model, a few steps deep
            assert "key-of" not in repr(thing), type(thing)
            if len(seen) < 50 and type(thing).__module__.startswith("agents."):
                seen += vars(thing).values() if hasattr(thing, "__dict__") else []
        await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
async def test_an_offline_model_counts_characters_and_costs_nothing() -> None:
    model = OfflineModel("offline/s", ScriptedPolicy([ScriptedReply(text="x" * 40)]))
    request = ChatRequest("offline/s", (Message("user", "y" * 399),))
    reply = await model.complete(request)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (99, 10)
    assert (reply.cost_usd, reply.model) == (0.0, "offline/s")
    assert await model.complete(request) == reply


class _Confused:
    def reply(self, request: ChatRequest) -> ChatReply:
        return ChatReply(request.messages[5].content)


@pytest.mark.anyio
async def test_a_conversation_that_confuses_a_policy_does_not_end_the_run() -> None:
    messages = (Message("assistant", tool_calls=(ToolCall("", "", ""),)),)
    with pytest.raises(BadRequest, match="cannot answer this conversation"):
        await OfflineModel("offline/c", _Confused()).complete(ChatRequest("offline/c", messages))
