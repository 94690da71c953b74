"""What a replay takes from the record of a closed attempt."""

import msgspec

from hyperspace.kernel.records.recording import RecordedAttempt
from hyperspace.kernel.state.manifest import Closing, SandboxRequest, Timeout
from hyperspace.tracing.replaying import Playback
from hyperspace.tracing.traces import Trace
from tests.support.runs.manifests import manifest

LIMITS = (
    Timeout(2, "train", "t-7", "60 s are over", calls=5),
    Timeout(0, "val", "", "60 s are over", calls=1, reason="cpu_time"),
)


def test_a_limit_strikes_again_in_the_request_that_it_ended() -> None:
    closing = Closing(
        manifest=manifest(3, 0.5),
        files={},
        audit_head="",
        seconds=1.0,
        closed_utc="",
        attempt=0,
        calls=6,
        cost_usd=None,
        timeouts=LIMITS,
    )
    recorded = msgspec.convert(msgspec.to_builtins(closing), Closing)  # as a space gives it back
    attempt = RecordedAttempt(recorded, Playback("a", 3, Trace()), {}, "recorded")
    assert attempt.timeouts == {
        SandboxRequest("train", "t-7", 2): LIMITS[0],
        SandboxRequest("val", "", 0): LIMITS[1],
    }
