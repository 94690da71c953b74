from pathlib import Path

import pytest

from hyperspace.broker.broker import Broker, BrokerLimits
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import BadRequest, ContextOverflow, Model, ModelError, ProviderDown
from hyperspace.tracing.traces import Recorder
from tests.support.agent_workspace import MODEL, make_workspace, run_inside, says, scripted
from tests.support.models import RaisingModel

ASK = f"""
from agent.llm_client import LLMError, chat
try:
    print(chat([{{"role": "user", "content": TEXT}}], {MODEL!r})["text"])
except LLMError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def ask(folder: Path, model: Model, text: str = "'hi'") -> str:
    make_workspace(folder / "w")
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(model, recorder, limits=BrokerLimits(frame_bytes=10_000)) as broker:
            return await run_inside(folder / "w", ASK.replace("TEXT", text), broker)


@pytest.mark.anyio
async def test_a_reply_comes_back_with_any_text(tmp_path: Path) -> None:
    assert (
        await ask(tmp_path, scripted(says("a\n\t\0é\N{PILE OF POO}")))
        == "a\n\t\0é\N{PILE OF POO}\n"
    )


@pytest.mark.anyio
async def test_text_that_is_no_unicode_does_not_keep_the_request_from_being_sent(
    tmp_path: Path,
) -> None:
    assert await ask(tmp_path, scripted(says("ok")), r"'\ud800'") == "ok\n"


@pytest.mark.anyio
async def test_a_sandbox_without_a_broker_says_so(tmp_path: Path) -> None:
    make_workspace(tmp_path)
    said = await run_inside(tmp_path, ASK.replace("TEXT", "''"))
    assert said == "no_broker: this sandbox has no model: HYPERSPACE_BROKER is not set\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadRequest("bad shape"), "bad_request: bad shape\n"),
        (ContextOverflow("too long"), "context_overflow: too long\n"),
        (
            ProviderDown("gone"),
            "closed: the broker closed the connection before it answered\n",
        ),
    ],
)
async def test_errors_have_a_kind(tmp_path: Path, error: ModelError, said: str) -> None:
    assert await ask(tmp_path, RaisingModel(MODEL, error)) == said


@pytest.mark.anyio
async def test_a_request_that_is_too_large_is_told(tmp_path: Path) -> None:
    said = await ask(tmp_path, scripted(says("no")), "'x' * 20_000")
    assert said.startswith("too_large: ")


def test_the_helpers_of_this_file_are_models() -> None:
    model: Model = RaisingModel("m", BadRequest("x"))
    assert model.name == "m"
    assert ChatRequest("m", ()) and ChatReply()
