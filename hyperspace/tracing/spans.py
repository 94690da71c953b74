"""OpenTelemetry spans of model calls: an extra, and never with what was said.

`gen_ai.*` and `error.type` are OpenTelemetry's semantic conventions for generative AI; the SDK's
constants for them are marked as unstable and move, so they stand here.

The provider of spans is our own and is not made the process's: so the SDKs of model providers,
which would open spans on a global one, stay silent, and a call is one span.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from hyperspace.tracing.calls import CallRecord
from markspace.extras import how_to_install

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_SCOPE: Final = "hyperspace"
_CHAT: Final = "chat"  # the operation of every call
_NS_A_SECOND: Final = 10**9


class SpansUnavailable(Exception):
    """The packages of the extra `otel` are not installed."""


class CallSpans:
    """Tells a collector of each model call that was made, when it has ended."""

    def __init__(self, provider: "TracerProvider", run: str) -> None:
        """Take over a provider.

        Args:
            provider: Where spans go; it is shut down by `close`.
            run: Name of the run, for every span.
        """
        self._provider = provider
        self._tracer = provider.get_tracer(_SCOPE)
        self._run = run

    def tell(self, agent: str, generation: int | str, call: CallRecord) -> None:
        """Tell of a finished call."""
        from opentelemetry.trace import SpanKind, Status, StatusCode

        end = int(datetime.fromisoformat(call.timestamp).timestamp() * _NS_A_SECOND)
        span = self._tracer.start_span(
            f"{_CHAT} {call.model}",
            kind=SpanKind.CLIENT,
            attributes={
                **_attributes(call),
                "hyperspace.run": self._run,
                "gen_ai.agent.name": agent,
                "hyperspace.generation": str(generation),
            },
            start_time=end - int(call.seconds * _NS_A_SECOND),
        )
        if call.error is not None:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end)

    def close(self) -> None:
        """Send what is left; safe to call twice."""
        self._provider.shutdown()


def open_spans(run: str, exporter: "SpanExporter | None" = None) -> CallSpans:
    """Start to tell a collector of calls.

    Args:
        run: Name of the run.
        exporter: Where spans go; None sends them over HTTP to where OpenTelemetry's own
            environment variables say (OTEL_EXPORTER_OTLP_ENDPOINT).

    Raises:
        SpansUnavailable: The extra is not installed.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        if exporter is None:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

            exporter = OTLPSpanExporter()
    except ImportError as error:
        raise SpansUnavailable(
            f"--otel needs OpenTelemetry's SDK ({error}); {how_to_install('otel')}"
        ) from error
    # Not shut down at exit: whoever opened the spans closes them.
    resource = Resource.create({"service.name": _SCOPE})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return CallSpans(provider, run)


def _attributes(call: CallRecord) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": _CHAT,
        "gen_ai.request.model": call.model,
        "gen_ai.request.temperature": call.temperature,
        "gen_ai.request.seed": call.seed,
        "gen_ai.request.max_tokens": call.max_tokens,
        "gen_ai.response.model": call.returned_model or None,
        "gen_ai.response.finish_reasons": [str(call.finish)] if call.finish else None,
        "error.type": call.error.kind if call.error else None,
        "hyperspace.purpose": call.purpose,
        "hyperspace.item": call.item or None,
        "hyperspace.ordinal": call.ordinal,
        "hyperspace.cached": call.cached,
        "hyperspace.cost_usd": call.cost_usd,
    }
    if call.usage is not None:
        attributes["gen_ai.usage.input_tokens"] = call.usage.prompt_tokens
        attributes["gen_ai.usage.output_tokens"] = call.usage.completion_tokens
    return {name: value for name, value in attributes.items() if value is not None}
