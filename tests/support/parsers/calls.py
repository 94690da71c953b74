"""Calls of parsers that take more than a text."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream

from guards.content.base import Revision
from guards.content.modes import DEFAULTS, Mode, parse_mode
from guards.content.pipeline import judge
from guards.content.source import SourceText
from guards.sandboxes.frames import FrameChannel, with_head
from hyperspace.broker.wire import receive_frame
from hyperspace.dashboard.safety.changes import decoded as decode_change
from hyperspace.dashboard.starting.request import RunRequest
from hyperspace.executor.door.wire import FrameReader, Hello
from hyperspace.executor.jobs import JobOutcome, left_behind
from hyperspace.export.redaction import Redactor
from hyperspace.messages import ChatRequest
from hyperspace.models.normalize import reply_object
from hyperspace.models.streaming import Assembly, EventReader
from hyperspace.models.target import ModelTarget
from hyperspace.research.environments.artefacts import why_not
from hyperspace.runs.exports.archives import Kind, read
from hyperspace.runs.trace import TraceFile
from hyperspace.runs.traces.index import TraceIndex
from hyperspace.tasks.csv_rows import read_records
from hyperspace.tasks.polyglot.folder import read_exercise
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.verified import Verified
from markspace.keeping.codec import Decoder
from tests.support.parsers.parser import Bytes, Nowhere, at_once, of_text
from transfer_experiment.paths.normal_form import normal_form
from transfer_experiment.turns.texts import SeenText

TARGET = ModelTarget("m", "http://127.0.0.1", "key", "A_KEY")
REQUEST = ChatRequest("m", ())
STORED = Decoder(lambda _digest: b"\x91\x01")


def door_frame(data: bytes) -> object:
    stream: Any = Bytes(len(data).to_bytes(4, "big") + data)
    return at_once(FrameReader(stream).receive(Hello))


def sandbox_reply(data: bytes) -> object:
    return at_once(FrameChannel(Nowhere(), Bytes(with_head(data)), 1 << 24).receive())


def broker_request(data: bytes) -> object:
    return at_once(receive_frame(BufferedByteReceiveStream(Bytes(data)), len(data), needs=True))


def streamed_reply(
    make_assembly: Callable[[ModelTarget], Assembly],
    reply_from: Callable[[dict[str, Any], ChatRequest, ModelTarget], object],
) -> Callable[[bytes], object]:
    def call(data: bytes) -> object:
        reader = EventReader(make_assembly(TARGET), TARGET)
        for at in range(0, len(data), 4096):
            reader.feed(data[at : at + 4096])
        return msgspec.json.encode(reply_from(reader.answer(), REQUEST, TARGET))

    return call


def archive(kind: Kind) -> Callable[[bytes], object]:
    return lambda data: list(read(io.BytesIO(data), kind, {"run/a": 1000}))


def artefact(data: bytes) -> object:
    return [why_not(data, form) for form in ("json", "text", "safetensors")]


def trace(path: Path) -> object:
    with TraceFile(path, "trace").open() as opened:
        lines = list(opened.lines())
    with path.open("rb") as file:
        TraceIndex().extend(file)
    return lines


def seen_text(text: str) -> object:
    seen = SeenText(text)
    return seen.decoded, seen.tokens, seen.holds("return answer")


def content_policies(text: str) -> object:
    before, after = SourceText("task_agent.py", ""), SourceText("task_agent.py", text)
    modes: dict[str, Mode] = {
        name: parse_mode(f"{name}=rewrite")[1] for name in DEFAULTS if name != "growth"
    }
    return judge(Revision("task_agent.py", before, after), {**DEFAULTS, **modes})


def verified(name: str) -> Callable[[bytes], object]:
    domain = load(name)
    assert isinstance(domain, Verified)
    item = domain.items("train")[0]
    return of_text(lambda text: domain.verify(item, text))


def plain_reply(data: bytes) -> object:
    return msgspec.json.encode(reply_object(data, TARGET))


def worker_artefact(data: bytes) -> object:
    return left_behind(JobOutcome(state="done", artefact=data))


def posted_change(data: bytes) -> object:
    return decode_change(data, RunRequest)


def redacted(path: str) -> Callable[[bytes], object]:
    return lambda data: Redactor([]).redact(path, data)


def normalised(text: str) -> object:
    form = normal_form(text)
    return form and form.text


def records(path: Path) -> object:
    return list(read_records("d", path, ("id",)))


def exercise(folder: Path) -> object:
    return read_exercise(folder, "python")
