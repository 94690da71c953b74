"""What a redacted line still holds: form and sizes, and nothing that was said."""

import json
from pathlib import Path

import msgspec

from hyperspace.export.redact_trace import ACCESS, ANSWER, CALL, hide_lines, is_hidden
from hyperspace.export.redaction import Redactor
from hyperspace.kernel.evaluation.answers import AnswerLine
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.generation.observing.accesses import AccessLog, ObservedAccess, read_accesses
from hyperspace.kernel.state.folder import ACCESSES
from hyperspace.messages import ChatReply, Message, ReasoningBlock
from hyperspace.tracing.calls import CallRecord, recorded_message, reply_fields

SAID = "what nobody is to read"
THOUGHTS = (ReasoningBlock("thinking", SAID, SAID), ReasoningBlock("reasoning", SAID))


def nobody(_kind: str, _count: int) -> None:
    pass


def test_thoughts_are_hidden_in_replies_and_in_what_is_sent_back() -> None:
    reply = ChatReply(SAID, thinking=SAID, thoughts=THOUGHTS, divergence=SAID)
    sent = recorded_message(Message("assistant", SAID, thoughts=THOUGHTS))
    call = CallRecord(call_id="modify//0", messages=[sent], **reply_fields(reply))
    hidden = hide_lines(msgspec.json.encode(call) + b"\n", CALL, nobody)
    assert SAID.encode() not in hidden
    kept = json.loads(hidden)
    assert kept["call_id"] == "modify//0"
    assert "redacted" in kept["thoughts"]
    assert "redacted" in kept["messages"][0]["thoughts"]


def test_accesses_keep_who_read_what_and_lose_the_code(tmp_path: Path) -> None:
    log = AccessLog(tmp_path)
    log.append([ObservedAccess(2, "x.py", "written", 3, 5, 9, (SAID, SAID + "!"))])
    log.miss("the kernel's queue of events was full")
    path = tmp_path / ACCESSES
    path.write_bytes(hide_lines(path.read_bytes(), ACCESS, nobody))
    assert SAID not in path.read_text()
    accesses = read_accesses(tmp_path)
    assert accesses is not None
    (kept,) = accesses.records
    assert kept == ObservedAccess(2, "x.py", "written", 3, 5, 9, kept.lines)
    assert all(line.startswith("[redacted: ") for line in kept.lines)
    assert accesses.unobserved == "the kernel's queue of events was full"


def test_an_answer_that_a_model_may_have_given_is_hidden_and_can_be_told_by_its_hash() -> None:
    line = AnswerLine("val-1", SAID)
    hidden = json.loads(hide_lines(msgspec.json.encode(line), ANSWER, nobody))
    assert hidden["id"] == "val-1"
    assert SAID not in hidden["answer"]
    assert is_hidden(hidden["answer"], sha256_hex(SAID.encode()))
    assert not is_hidden(SAID, sha256_hex(SAID.encode()))


def test_lines_of_any_depth_are_hidden() -> None:
    for depth in range(1, 1_000):
        line = b'{"a":' * depth + b'"' + SAID.encode() + b'"' + b"}" * depth
        assert SAID.encode() not in hide_lines(line, ACCESS, nobody)


def test_a_truth_log_of_an_earlier_version_loses_its_words() -> None:
    line = {"version": 1, "agent": "a", "deed": {"act": "adopt", "why": SAID}}
    hidden = Redactor([]).redact("truth.jsonl", msgspec.json.encode(line) + b"\n")
    assert SAID.encode() not in hidden
    assert json.loads(hidden)["version"].startswith("[redacted: ")
