import json
from pathlib import Path

from agents.calls import CallRecord, RecordedUsage
from agents.ledger import Ledger, Total

PAID = CallRecord(
    call_id="modify//0",
    model="m",
    purpose="modify",
    usage=RecordedUsage(10, 2, 12),
    cost_usd=0.5,
)
UNPRICED = CallRecord(call_id="train/i/0", model="m", purpose="train", usage=RecordedUsage(1, 1, 2))


def test_each_paid_call_is_a_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add("a", 3, PAID)
    ledger.close()
    line = json.loads((tmp_path / "ledger.jsonl").read_text())
    assert line.pop("ended_utc")
    assert line == {
        "call_id": "modify//0",
        "agent": "a",
        "generation": 3,
        "purpose": "modify",
        "model": "m",
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "cost_usd": 0.5,
    }


def test_totals_are_kept_by_agent_and_unknown_prices_are_counted_apart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.jsonl")
    ledger.add("a", 1, PAID)
    ledger.add("a", "test", UNPRICED)
    ledger.add("b", 1, PAID)
    ledger.close()
    assert ledger.totals() == {"a": Total(2, 11, 3, 0.5, 1), "b": Total(1, 10, 2, 0.5, 0)}
    assert ledger.total("nobody") == Total()


def test_a_restart_goes_on_from_what_was_written_and_drops_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for _ in range(2):
        ledger = Ledger(path)
        ledger.add("a", 1, PAID)
        ledger.close()
        path.write_bytes(path.read_bytes() + b'{"call_id": "torn')
    with Ledger(path) as ledger:
        assert ledger.total("a").calls == 2
    assert path.read_bytes().endswith(b"}\n")
