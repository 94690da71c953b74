"""What servers say when they refuse, in their own words, and the class that it is read as.

The texts are those of providers' documents and of servers that were tried.
"""

import base64
import json
import time
from typing import Any
from urllib.parse import quote as percent_encoded

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.models.base import (
    AuthFailed,
    BadRequest,
    ContextOverflow,
    FieldRefused,
    MalformedReply,
    ModelError,
    OutOfCredit,
    ProviderDown,
    RateLimited,
    Refused,
    ToolsUnsupported,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.error_body import MOST_BYTES, read_error
from hyperspace.models.refusals import Refusal
from hyperspace.models.target import LONGEST_QUOTE, ModelTarget, masked

KEY = "sk-very-secret-key"
TARGET = ModelTarget("m-1", "http://host:8080", KEY, "A_KEY")
SENT: dict[str, Any] = {
    "model": "m-1",
    "messages": [{"role": "user", "content": "Modify any part of the code at `/workspace`."}],
    "tools": [{"type": "function", "function": {"name": "bash", "parameters": {}}}],
    "temperature": 0.0,
    "top_p": 0.9,
    "seed": 7,
    "max_tokens": 16384,
    "reasoning_effort": "high",
    "stream": True,
    "stream_options": {"include_usage": True},
}


def error_of(status: int, body: object, sent: dict[str, Any] = SENT) -> ModelError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Refusal(status, read_error(content, sent), sent, TARGET, version_path="/v1").error()


def openai(message: str, **fields: Any) -> object:
    return {"error": {"message": message, "type": "invalid_request_error", **fields}}


OVERFLOWS = [
    (400, openai("This model's maximum context length is 8192 tokens. However, your messages "
                 "resulted in 9000 tokens. Please reduce the length of the messages.",
                 code="context_length_exceeded")),
    (400, openai("x", code="context_length_exceeded")),
    (400, {"object": "error", "code": 400, "message": "This model's maximum context length is 8192 "
           "tokens. However, you requested 25000 tokens (8616 in the messages, 16384 in the "
           "completion). Please reduce the length of the messages or completion."}),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size. try "
           "increasing the context size or enable context shift", "n_ctx": 8192,
           "type": "exceed_context_size_error", "n_prompt_tokens": 9000}}),
    (500, {"error": {"code": 500, "message": "context size has been exceeded"}}),
    (400, {"error": "Trying to keep the first 9000 tokens when context the overflows. However, the "
           "model is loaded with context length of only 8192 tokens, which is not enough."}),
    (422, {"error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000",
           "error_type": "validation"}),
    (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. "
           "Given: 9000 `inputs` tokens and 16384 `max_new_tokens`"}),
    (400, {"type": "error", "error": {"type": "invalid_request_error",
           "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
    (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "input length "
           "and `max_tokens` exceed context limit: 200001 + 16384 > 200000, decrease input length "
           "or `max_tokens` and try again"}}),
    (413, {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the "
           "maximum size"}}),
    (400, [{"error": {"code": 400, "message": "The input token count (1200000) exceeds the maximum "
            "number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}]),
    (400, {"code": "Client specified an invalid argument", "error": "This model's maximum prompt "
           "length is 131072 but the request contains 150000 tokens."}),
    (400, {"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too "
           "large for model with 32768 maximum context length", "code": "3051"}),
    (400, openai("Please reduce the length of the messages or completion. Current length is 30000 "
                 "while limit is 8192", code="context_length_exceeded")),
    (413, {"error": {"code": "tokens_limit_reached", "message": "Request body too large for gpt-4o "
           "model. Max size: 8000 tokens."}}),
    (400, {"message": "Input is too long for requested model."}),
    (400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - "
           "received 5000."}),
    (400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}),
    (400, openai("Invalid request: Your request exceeded model token limit: 8192 (requested: "
                 "30000)")),
    (400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}),
    (400, {"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window "
           "exceeds limit (2013)"}}),
    (200, {"error_code": 336007, "error_msg": "the max input characters is exceeded; prompt "
           "tokens too long"}),
    (400, openai("The input (9000 tokens) is longer than the model's context length (8192 "
                 "tokens).")),
    (400, {"error": {"message": "Requested token count exceeds the model's maximum "
           "context length of 8192 tokens. You requested a total of 25384 tokens: 9000 tokens "
           "from the input messages and 16384 tokens for the completion.", "code": 400}}),
    (400, b"Too many input tokens. Max input tokens: 128000, request input token count: 140000"),
    (400, {"detail": "input length should be less than 4096"}),
    (400, {"detail": "The number of tokens exceeds the limit of 4096 tokens"}),
    (500, b"llama runner: prompt too long; exceeded max context length by 12 tokens"),
    (400, {"error": {"message": "Input tokens exceed the configured limit of 272000 tokens. Your "
           "messages resulted in 300000 tokens.", "code": "context_length_exceeded"}}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), OVERFLOWS)
def test_a_conversation_that_is_too_long_is_told_from_its_words(status: int, body: object) -> None:
    assert type(error_of(status, body)) is ContextOverflow, error_of(status, body)


ROOMS = [
    (8172, 400, {"message": "This model's maximum context length is 8192 tokens. However, you "
                 "requested 16404 tokens (20 in the messages, 16384 in the completion)."}),
    (8172, 400, {"message": "'max_tokens' or 'max_completion_tokens' is too large: 16384. This "
                 "model's maximum context length is 8192 tokens and your request has 20 input "
                 "tokens (16384 > 8192 - 20). (parameter=max_tokens, value=16384)"}),
    (4076, 422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be "
                 "<= 4096. Given: 20 `inputs` tokens and 16384 `max_new_tokens`"}),
    (4096, 400, openai("max_tokens is too large: 16384. This model supports at most 4096 "
                       "completion tokens, whereas you provided 16384.", param="max_tokens")),
    (8192, 400, openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")),
    (8192, 400, openai("`max_tokens` must be less than or equal to `8192`, the maximum value for "
                       "`max_tokens` is less than the `context_window` for this model")),
    (10000, 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "input "
                  "length and `max_tokens` exceed context limit: 190000 + 16384 > 200000"}}),
    (8192, 400, {"type": "error", "error": {"type": "invalid_request_error", "message":
                 "max_tokens: 16384 > 8192, which is the maximum allowed number of output "
                 "tokens"}}),
    (4096, 400, {"message": "The maximum tokens you requested exceeds the model limit of 4096. Try "
                 "again with a maximum tokens value that is lower than 4096."}),
    (8192, 400, {"message": "Malformed input request: #/max_tokens: 16384 is not less or equal to "
                 "8192, please reformat your input and try again."}),
    (8172, 400, {"message": "You requested a total of 16404 tokens: 20 tokens from the input "
                 "messages and 16384 tokens for the completion. Requested token count exceeds the "
                 "model's maximum context length of 8192 tokens."}),
    (5616, 413, openai("Request too large for model `llama` on tokens per minute (TPM): Limit "
                       "6,000, Requested 16,768, please reduce your message size and try again.")),
    (8192, 400, {"code": "InvalidParameter", "message": "<400> Range of max_tokens should be "
                 "[1, 8192]"}),
]  # fmt: skip


@pytest.mark.parametrize(("tokens", "status", "body"), ROOMS)
def test_the_room_for_a_reply_is_read_where_the_completion_is_what_we_asked_for(
    tokens: int, status: int, body: object
) -> None:
    error = error_of(status, body)
    assert isinstance(error, FieldRefused), error
    assert error.room is not None
    assert (error.field, error.room.tokens) == ("max_tokens", tokens)


PYDANTIC = {"type": "extra_forbidden", "loc": ["body", "seed"], "input": SENT}
FIELDS = [
    ("max_tokens", 400, openai("Unsupported parameter: 'max_tokens' is not supported with this "
                               "model. Use 'max_completion_tokens' instead.", param="max_tokens")),
    ("temperature", 400, openai("invalid temperature: only 1 is allowed for this model")),
    ("temperature", 400, b"`temperature` may only be set to 1 when thinking is enabled."),
    ("temperature", 400, {"error": "`temperature` must be strictly positive"}),
    ("temperature", 422, {"error": "Input validation error: `temperature` must be strictly "
                          "positive", "error_type": "validation"}),
    ("temperature", 400, openai("Unsupported value: 'temperature' does not support 0.0 with this "
                                "model. Only the default (1) value is supported.",
                                param="temperature")),
    ("temperature", 400, {"type": "error", "error": {"type": "invalid_request_error", "message":
                          "`temperature` and `top_p` cannot both be specified for this model."}}),
    ("seed", 422, {"detail": [{**PYDANTIC, "msg": "Extra inputs are not permitted"}]}),
    ("seed", 422, {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted"}]}),
    ("seed", 400, {"object": "error", "message": "[{'type': 'extra_forbidden', 'loc': ('body', "
                   "'seed'), 'msg': 'Extra inputs are not permitted', 'input': 7}]"}),
    ("seed", 400, [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": 'Invalid JSON '
                    'payload received. Unknown name "seed": Cannot find field.'}}]),
    ("seed", 400, {"message": "property 'seed' is unsupported"}),
    ("seed", 501, {"error": "'seed' is not implemented"}),
    ("stream_options", 400, openai("Unrecognized request argument supplied: stream_options")),
    ("stream_options", 400, {"message": "The 'stream_options' parameter is only allowed when "
                             "'stream' is enabled."}),
    ("stream", 400, {"detail": "Streaming is not supported for this model"}),
    ("stream", 400, openai("Your organization must be verified to stream this model.",
                           param="stream")),
    ("reasoning_effort", 400, openai("Unrecognized request argument supplied: reasoning_effort")),
    ("top_p", 400, {"error": {"message": "top_p is deprecated for this model"}}),
    ("top_p", 400, {"errors": [{"pointer": "#/top_p", "title": "no"}]}),
    ("temperature", 500, {"error": {"message": "parameter temperature is not supported"}}),
    ("temperature", 200, {"error": {"message": "Unknown parameter: temperature", "code": 400}}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "status", "body"), FIELDS)
def test_a_field_of_ours_is_named_in_any_words(field: str, status: int, body: object) -> None:
    error = error_of(status, body)
    assert isinstance(error, FieldRefused), error
    assert (error.field, error.room) == (field, None)


CLASSES = [
    (ToolsUnsupported, 500, {"error": {"code": 500, "message": "tools param requires --jinja "
                                       "flag", "type": "server_error"}}),
    (ToolsUnsupported, 400, {"error": "registry.ollama.ai/library/x:1 does not support tools"}),
    (ToolsUnsupported, 404, openai("No endpoints found that support tool use.")),
    (ToolsUnsupported, 400, {"message": '"auto" tool choice requires --enable-auto-tool-choice '
                             "and --tool-call-parser to be set"}),
    (ToolsUnsupported, 400, {"error": {"message": "Function calling is not enabled for "
                             "models/gemma-3", "code": 400}}),
    (ToolsUnsupported, 422, {"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not "
                             "permitted"}]}),
    (ToolsUnsupported, 400, openai("Unrecognized request argument supplied: tools")),
    (ToolsUnsupported, 400, {"message": "This model doesn't support tool use in streaming mode."}),
    (ToolsUnsupported, 400, {"message": "`tool calling` is not supported with this model"}),
    (MalformedReply, 400, openai("Failed to call a function. Please adjust your prompt. See "
                                 "'failed_generation' for more details.", code="tool_use_failed",
                                 failed_generation="insufficient_quota {bash")),
    (MalformedReply, 500, {"error": {"code": 500, "message": "Failed to parse input at pos 42: "
                                     "<tool_call>..."}}),
    (MalformedReply, 500, {"error": "error parsing tool call: raw='{', err=unexpected end"}),
    (OutOfCredit, 429, openai("You exceeded your current quota, please check your plan and "
                              "billing details.", code="insufficient_quota")),
    (OutOfCredit, 402, {"error": {"message": "This request requires more credits, or fewer "
                        "max_tokens. You requested up to 16384 tokens, but can only afford 12."}}),
    (OutOfCredit, 402, {"message": "Insufficient Balance"}),
    (OutOfCredit, 400, {"type": "error", "error": {"type": "invalid_request_error", "message":
                        "Your credit balance is too low to access the Anthropic API."}}),
    (OutOfCredit, 402, b"<html>Payment Required</html>"),
    (OutOfCredit, 403, {"error": "out of credits"}),
    (RateLimited, 429, [{"error": {"code": 429, "message": "You exceeded your current quota, please"
                         " check your plan and billing details. Please retry in 34s.",
                         "status": "RESOURCE_EXHAUSTED"}}]),
    (RateLimited, 400, {"message": "Rate limit reached for requests"}),
    (RateLimited, 403, {"message": "rate limit exceeded, try again later"}),
    (RateLimited, 503, {"message": "ThrottlingException: Too many requests"}),
    (RateLimited, 429, openai("Rate limit reached for m on tokens per min (TPM): Limit 30000, Used "
                              "29000, Requested 2000.")),
    (AuthFailed, 400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid "
                        "API key.", "status": "INVALID_ARGUMENT"}}]),
    (AuthFailed, 401, b"Unauthorized"),
    (AuthFailed, 403, b"<html><title>Forbidden</title></html>"),
    (AuthFailed, 500, {"error": {"message": "AuthenticationError: Incorrect API key provided"}}),
    (AuthFailed, 200, {"base_resp": {"status_code": 1004, "status_msg": "login fail: Please carry "
                       "the API secret key"}}),
    (UnknownModel, 404, openai("The model `m-1` does not exist or you do not have access to it.",
                               code="model_not_found")),
    (UnknownModel, 404, {"error": {"message": "model 'm-1' not found, try pulling it first"}}),
    (UnknownModel, 400, {"error": {"message": "m-1 is not a valid model ID", "code": 400}}),
    (UnknownModel, 400, {"error": "No models loaded. Please load a model in the developer page"}),
    (UnknownModel, 404, b"404 page not found"),
    (UnknownModel, 404, {"detail": "Not Found"}),
    (UnknownModel, 405, {"detail": "Method Not Allowed"}),
    (UnknownModel, 200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
    (WrongAddress, 200, b"<!DOCTYPE html><html><head><title>Open WebUI</title></head></html>"),
    (WrongAddress, 301, b""),
    (Refused, 400, openai("The response was filtered due to the prompt triggering Azure OpenAI's "
                          "content management policy.", code="content_filter")),
    (Refused, 400, {"code": "data_inspection_failed", "message": "Input data may contain "
                    "inappropriate content."}),
    (Refused, 400, {"error": {"message": "Content Exists Risk"}}),
    (ProviderDown, 503, {"error": {"message": "Loading model", "code": 503}}),
    (ProviderDown, 529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
    (ProviderDown, 500, b""),
    (ProviderDown, 502, b"<html>502 Bad Gateway</html>"),
    (ProviderDown, 400, {"error": "The server is temporarily busy, try again later"}),
    (ProviderDown, 400, b"upstream connect error or disconnect/reset before headers"),
    (MalformedReply, 200, {"error": "something else"}),
    (MalformedReply, 200, b"hello"),
    (BadRequest, 400, openai("nonsense")),
    (BadRequest, 400, {"message": "messages.1: tool_use ids must be unique"}),
    (BadRequest, 422, {"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "Input should "
                       "be a valid string", "input": SENT}]}),
    (BadRequest, 400, {"error": {"message": "Conversation roles must alternate user/assistant"}}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "status", "body"), CLASSES)
def test_the_words_of_a_refusal_decide_before_its_status(
    kind: type[ModelError], status: int, body: object
) -> None:
    assert type(error_of(status, body)) is kind, error_of(status, body)


def test_an_address_without_its_version_is_told_what_to_add() -> None:
    error = error_of(404, b"404 page not found")
    assert "add /v1 to the address: http://host:8080/v1" in str(error)


def test_what_code_wrote_into_its_message_decides_nothing() -> None:
    trick = "insufficient_quota: invalid api key, the `temperature` is not supported, seed too"
    sent = {**SENT, "messages": [{"role": "user", "content": trick}]}
    for quote in (trick, trick[3:40], json.dumps(trick), repr(trick), trick.upper()[:5]):
        bodies = ({"detail": f"unreadable message: {quote}"}, f"cannot read {quote} there".encode())
        for body in bodies:
            assert type(error_of(400, body, sent)) is BadRequest, error_of(400, body, sent)


def test_a_request_that_is_repeated_whole_names_no_field() -> None:
    echo = f"1 validation error: messages.0 [type=missing, input_value={SENT!r}, input_type=dict]"
    for body in ({"detail": echo}, echo.encode(), {"detail": "missing", "request": SENT}):
        assert type(error_of(422, body)) is BadRequest, error_of(422, body)


def test_a_quote_is_bounded_and_has_no_key_in_it() -> None:
    error = str(error_of(400, {"detail": f"{KEY} " + "x" * 5000}))
    assert KEY not in error
    assert "[key]" in error
    assert len(error) < LONGEST_QUOTE + 150


def test_the_whole_text_is_read_and_no_more_than_that() -> None:
    late = {"detail": "x " * 5000 + "insufficient_quota"}
    assert isinstance(error_of(400, late), OutOfCredit)
    beyond = ("x " * MOST_BYTES + "insufficient_quota").encode()
    assert type(error_of(400, beyond)) is BadRequest


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "detail", "loc", "param", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON | st.binary(max_size=200) | st.text(max_size=200), st.integers(200, 599))
def test_any_body_has_a_class(body: object, status: int) -> None:
    content = body if isinstance(body, bytes | str) else json.dumps(body)
    told = read_error(content, SENT)
    assert isinstance(Refusal(status, told, SENT, TARGET).error(), ModelError)


def test_a_body_of_brackets_ends_nobody() -> None:
    for body in (b"[" * 60_000, b'{"error":' * 5_000, b"<" * 60_000, b"{'input': " * 6_000):
        assert isinstance(error_of(400, body), ModelError)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "what is this seed thing?"),
        (422, "seed: no"),
        (400, json.dumps("seed? never heard of it")),
        (400, "I was sent seed, which I have never seen"),
        (501, "no seed here"),
    ],
)
def test_a_field_of_ours_that_is_named_by_a_bare_word_is_taken_back(status: int, text: str) -> None:
    error = error_of(status, text.encode())
    assert isinstance(error, FieldRefused) and error.field == "seed", error
    assert isinstance(error_of(404, b"tools are not part of this build"), ToolsUnsupported)
    assert not isinstance(error_of(500, b"seed"), FieldRefused)


def test_an_echo_in_capitals_or_on_one_line_decides_nothing_either() -> None:
    said = "Answer:\n  incorrect api key provided: invalid_api_key\nand so on"
    sent = SENT | {"messages": [{"role": "assistant", "content": said}]}
    for echo in (said.upper(), " ".join(said.split()), f"cannot parse: {said.title()}"):
        assert not isinstance(error_of(400, echo.encode(), sent), AuthFailed), echo


KEYS = st.text("abcdefXYZ0123456789-_+/=", min_size=16, max_size=60)


@given(KEYS, st.text(max_size=40), st.data())
def test_no_twelve_characters_of_a_key_are_quoted_in_any_form(
    key: str, around: str, data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(ways_of(key)))
    start = data.draw(st.integers(0, len(form) - 12))
    piece = form[start : start + data.draw(st.integers(12, len(form)))]
    quoted = ModelTarget("m", "u", key, "K").quoted(f"{around} {piece} {around}")
    for at in range(len(piece) - 11):
        run = piece[at : at + 12]
        assert run not in quoted or len({*run}) < 6


def ways_of(key: str) -> list[str]:
    """Forms of a key, also reversed, and as base64 writes it behind other bytes."""
    ways = list[str]()
    for each in (key, key[::-1]):
        data = each.encode()
        ways += [each, each.upper(), each.lower(), percent_encoded(each, safe="")]
        ways += [data.hex(), data.hex().upper()]
        for before in range(3):
            behind = bytes(before) + data
            for code in (base64.b64encode, base64.urlsafe_b64encode):
                # Without the characters that hold bits of what is beside it.
                own = code(behind).decode()[-(-8 * before // 6) : 8 * len(behind) // 6]
                ways.append(own)
    return [*ways, *(way[::-1] for way in ways)]


@given(st.text("ab", min_size=16, max_size=40), st.text("ab ", max_size=200))
def test_a_key_of_few_characters_hides_no_other_text(key: str, text: str) -> None:
    assert masked(text, key) == text.replace(key, "[key]")
    assert masked("aaaaaaaaaaaaaa", "EMPTY") == "aaaaaaaaaaaaaa"


@pytest.mark.long
def test_a_long_text_is_looked_through_in_time_that_grows_with_it() -> None:
    key = "sk-" + "0123456789abcdef" * 3
    for text in ("0123456789 " * 100_000, "sk-0123456" * 100_000, "x" * 4_000_000):
        begun = time.process_time()
        assert key[:12] not in masked(text, key)
        assert time.process_time() - begun < 5


def test_a_text_without_the_key_stays_as_it_is() -> None:
    said = "sk-other key of somebody, and 0123456789 words " * 5
    assert ModelTarget("m", "u", KEY, "K").quoted(said) == " ".join(said.split())[:LONGEST_QUOTE]
