"""What a redacted line still holds: form and sizes, and nothing that was said."""

import json
from pathlib import Path

import msgspec

from agents.messages import CallKey, ChatReply, Message, Thought
from agents.offline.deeds import Deed
from agents.offline.truth import TruthLine, append_truth, read_truth
from agents.tracing.calls import CallRecord, recorded_message, reply_fields
from evolution.export.redact_trace import hide_trace, hide_truth

SAID = "what nobody is to read"
THOUGHTS = (Thought("thinking", SAID, SAID), Thought("reasoning", SAID))


def nobody(_kind: str, _count: int) -> None:
    pass


def test_thoughts_are_hidden_in_replies_and_in_what_is_sent_back() -> None:
    reply = ChatReply(SAID, thinking=SAID, thoughts=THOUGHTS, divergence=SAID)
    sent = recorded_message(Message("assistant", SAID, thoughts=THOUGHTS))
    call = CallRecord(call_id="modify//0", messages=[sent], **reply_fields(reply))
    hidden = hide_trace(msgspec.json.encode(call) + b"\n", nobody)
    assert SAID.encode() not in hidden
    kept = json.loads(hidden)
    assert kept["call_id"] == "modify//0"
    assert "redacted" in kept["thoughts"]
    assert "redacted" in kept["messages"][0]["thoughts"]


def test_a_truth_log_keeps_its_acts_and_loses_its_words(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    line = TruthLine(
        agent="a",
        generation=1,
        attempt=0,
        purpose="modify",
        item="",
        ordinal=0,
        policy="offline/adopter",
        deed=Deed("adopt", SAID, "b", 3, 40),
    )
    append_truth(path, line)
    path.write_bytes(hide_truth(path.read_bytes() + b'{"version":1,"agen', nobody))
    (kept,) = read_truth(path)
    assert kept.place == ("a", 1, CallKey("modify", "", 0))
    assert (kept.deed.act, kept.deed.peer, kept.deed.amount) == ("adopt", "b", 40)
    assert SAID not in path.read_text()
