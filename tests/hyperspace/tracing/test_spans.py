"""A span for each model call: OpenTelemetry's names, our places, and no text."""

import subprocess
import sys

import msgspec
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from hyperspace.tracing.calls import CallRecord, RecordedError, RecordedUsage
from hyperspace.tracing.spans import open_spans
from markspace.extras import how_to_install
from tests.support.servers.server import ROOT

CALL = CallRecord(
    timestamp="2026-05-01T00:00:10+00:00",
    model="m",
    messages=[{"role": "user", "content": "a secret question"}],
    response="a secret answer",
    thinking="a secret thought",
    usage=RecordedUsage(10, 3, 13),
    finish="stop",
    purpose="train",
    item="7",
    ordinal=2,
    seconds=1.5,
    cost_usd=0.25,
    returned_model="m-2026",
    temperature=0.0,
    seed=3,
)
REFUSED = msgspec.structs.replace(
    CALL, error=RecordedError("bad_request", "a secret reason"), finish="", usage=None
)
HIDES_SDK = """
import sys
sys.modules["opentelemetry.sdk"] = None
from hyperspace.tracing.spans import SpansUnavailable, open_spans
try:
    open_spans("run")
except SpansUnavailable as error:
    print(error)
"""


def told(call: CallRecord) -> ReadableSpan:
    exporter = InMemorySpanExporter()
    spans = open_spans("a_vs_b/seed1", exporter)
    spans.tell("a", 4, call)
    spans.close()
    (span,) = exporter.get_finished_spans()
    return span


def test_a_call_is_a_span_with_the_conventions_names_and_our_places() -> None:
    span = told(CALL)
    assert (span.name, span.kind) == ("chat m", SpanKind.CLIENT)
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.agent.name": "a",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.seed": 3,
        "gen_ai.response.model": "m-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 3,
        "hyperspace.run": "a_vs_b/seed1",
        "hyperspace.generation": "4",
        "hyperspace.purpose": "train",
        "hyperspace.item": "7",
        "hyperspace.ordinal": 2,
        "hyperspace.cached": False,
        "hyperspace.cost_usd": 0.25,
    }


def test_it_lasts_as_long_as_the_call_did() -> None:
    span = told(CALL)
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.end_time - span.start_time == 1_500_000_000


def test_no_span_holds_what_was_said() -> None:
    for call in (CALL, REFUSED):
        assert "secret" not in told(call).to_json()


def test_a_refusal_is_an_error_by_its_kind() -> None:
    span = told(REFUSED)
    assert span.status.status_code is StatusCode.ERROR
    assert (span.attributes or {})["error.type"] == "bad_request"


def test_the_sdks_of_providers_get_no_provider_of_spans() -> None:
    told(CALL)
    assert not trace.get_tracer("com.anthropic.sdk.python").start_span("x").is_recording()


def test_without_the_extra_it_says_how_to_get_it() -> None:
    command = [sys.executable, "-c", HIDES_SDK]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert how_to_install("otel") in done.stdout
