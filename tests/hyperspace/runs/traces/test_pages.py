"""A trace is indexed once, and any page of it is read by its index alone."""

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hyperspace.runs.lines import MOST_LINE_BYTES
from hyperspace.runs.trace import TraceFile
from hyperspace.runs.traces.index import TraceIndex
from hyperspace.runs.traces.pages import PagedCall, read_calls, read_text, read_whole_call
from hyperspace.runs.traces.search import search_trace
from tests.support.runs.published_runs import conversation, evaluation

MOST = 1000


def lines_of(calls: Sequence[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(call).encode() + b"\n" for call in calls)


def indexed(data: bytes) -> tuple[io.BytesIO, TraceIndex]:
    file, index = io.BytesIO(data), TraceIndex()
    index.extend(file)
    return file, index


def calls_in(data: bytes, first: int = 1, count: int = 20, most: int = MOST) -> list[PagedCall]:
    file, index = indexed(data)
    return list(read_calls(file, index, first, count, most))


class CountingFile(io.BytesIO):
    """Counts the bytes that are read of it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.count += len(line)
        return line


def test_a_call_shows_what_is_new_in_it_and_what_its_tools_said() -> None:
    first, second = calls_in(lines_of(conversation(("ls", "a.py"), "Done.")))
    assert [message.content.text for message in first.new] == ["Modify the code."]
    (tool,) = first.tools
    assert (tool.name, tool.brief, tool.arguments.text) == ("bash", "ls", "command: ls")
    assert tool.result is not None and tool.result.text == "a.py"
    assert (second.messages, second.new, second.response.text) == (3, (), "Done.")


def test_results_are_found_where_conversations_are_interleaved() -> None:
    one, other = conversation(("ls", "one.py"), "Done."), conversation(("ls", "other.py"), "Done.")
    for call in one:
        call.update(purpose="train", item="1")
    for call in other:
        call.update(purpose="train", item="2")
    mixed = [one[0], other[0], one[1], other[1]]
    results = [tool.result for call in calls_in(lines_of(mixed)) for tool in call.tools]
    assert [result and result.text for result in results] == ["one.py", "other.py"]


def test_a_page_reads_its_own_lines_and_what_follows_them_and_no_other() -> None:
    calls = conversation(*((f"cat {number}", "x" * 500) for number in range(200)))
    data = lines_of(calls)
    _, index = indexed(data)
    file = CountingFile(data)
    page = list(read_calls(file, index, 100, 20, MOST))
    assert [call.line for call in page] == list(range(100, 120))
    longest = max(map(len, data.splitlines(keepends=True)))
    assert file.count <= 2 * 20 * longest < len(data)


def test_the_index_grows_with_the_file_and_leaves_a_line_without_its_end_for_later() -> None:
    whole = lines_of(conversation(("ls", "a.py"), ("cat a.py", "x"), "Done."))
    cut = len(whole) - 10
    index = TraceIndex()
    index.extend(io.BytesIO(whole[:cut]))
    assert (len(index), index.last_line) == (2, 2)
    file = CountingFile(whole)
    index.extend(file)
    assert (len(index), index.last_line, index.totals.calls) == (3, 3, 3)
    assert file.count == len(whole) - whole.rindex(b"\n", 0, -1) - 1


def test_lines_that_cannot_be_read_are_named_and_the_others_shown() -> None:
    calls = lines_of(conversation(("ls", "a.py"), "Done.")).splitlines(keepends=True)
    data = calls[0] + b"{no json\n" + b"[" * 100_000 + b"\n\n" + calls[1]
    file, index = indexed(data)
    assert (index.damaged, index.damaged_count) == ([2, 3], 2)
    assert [call.line for call in read_calls(file, index, 1, 20, MOST)] == [1, 5]


def test_a_line_that_is_too_long_is_left_out() -> None:
    huge = b'{"response":"' + b"x" * MOST_LINE_BYTES + b'"}\n'
    _, index = indexed(huge + lines_of([evaluation()]))
    assert (index.damaged, index.last_line, index.totals.calls) == ([1], 2, 1)


def test_a_line_that_seems_to_have_no_end_is_not_read_to_it(tmp_path: Path) -> None:
    path = tmp_path / "llm_calls.jsonl"
    path.write_bytes(lines_of([evaluation()]))
    os.truncate(path, 1 << 36)  # of zeros, which take no room on the disk
    with path.open("rb") as file:
        index = TraceIndex()
        index.extend(file)
        index.extend(file)
        assert (index.is_cut, index.damaged, index.last_line) == (True, [2], 1)
        assert file.tell() < 1 << 28
    with TraceFile(path, "trace").open() as opened:
        assert [line.line for line in opened.lines()] == [1]
        assert opened.damaged == [2]


def test_a_long_text_is_cut_and_can_be_read_whole() -> None:
    calls = conversation(("cat a.py", "y" * 5000), "Done.")
    calls[0]["thinking"] = "hm " * 2000
    file, index = indexed(lines_of(calls))
    call = next(read_calls(file, index, 1, 1, MOST))
    assert (len(call.thinking.text), call.thinking.size) == (MOST, 6000)
    assert call.thinking.is_cut
    assert read_text(file, index, 1, "thinking") == "hm " * 2000
    assert read_text(file, index, 1, "result-0") == "y" * 5000
    messages = read_whole_call(file, index, 2, MOST)
    assert messages is not None and [each.role for each in messages] == [
        "user",
        "assistant",
        "tool",
    ]


@pytest.mark.parametrize("field", ["", "message-9", "message--1", "result-1", "__class__", "usage"])
def test_a_text_that_is_not_there_is_none(field: str) -> None:
    file, index = indexed(lines_of(conversation(("ls", "a.py"), "Done.")))
    assert read_text(file, index, 1, field) is None
    assert read_text(file, index, 7, "response") is None


def test_without_texts_a_page_says_how_long_they_are_and_nothing_of_them() -> None:
    calls = conversation(("echo secret", "secret"), "secret")
    calls[0]["thinking"] = "secret"
    told = json.dumps([str(call) for call in calls_in(lines_of(calls), most=0)])
    assert "secret" not in told


def test_odd_values_of_other_programs_do_no_harm() -> None:
    odd = {"usage": "many", "seconds": -1, "cost_usd": "a lot", "error": [1], "call_id": 7}
    (call,) = calls_in(lines_of([evaluation() | odd]))
    assert (call.prompt_tokens, call.seconds, call.cost_usd) == (None, 0.0, 0.0)
    assert call.error.text == "[1]"


def test_what_calls_took_is_summed_and_told_by_purpose() -> None:
    paid = {"cost_usd": 0.5, "seconds": 2.0, "purpose": "modify"}
    served = {"cost_usd": 0.5, "served": True, "purpose": "train", "error": {"kind": "refused"}}
    _, index = indexed(lines_of([evaluation() | paid, evaluation() | paid, evaluation() | served]))
    assert (index.totals.cost_usd, index.totals.seconds) == (1.0, 4.0)
    assert (index.totals.served, index.totals.errors) == (1, 1)
    assert [(part.purpose, part.line, part.calls) for part in index.parts] == [
        ("modify", 1, 2),
        ("train", 3, 1),
    ]


def test_words_are_found_once_where_they_are_new_and_the_search_goes_on_where_it_stopped() -> None:
    calls = conversation(("cat Needle.py", "a (needle) here"), "No more.")
    file, index = indexed(lines_of(calls))
    hits = search_trace(file, index, "(NEEDLE", 0, 60.0)
    assert [(hit.line, hit.field, hit.excerpt.hit) for hit in hits.hits] == [
        (1, "result", "(needle")
    ]
    assert hits.is_done
    stopped = search_trace(file, index, "needle", 0, -1.0)
    assert ([hit.field for hit in stopped.hits], stopped.upto) == (["arguments-0"], 1)
    assert not stopped.is_done
    assert search_trace(file, index, "needle", stopped.upto, -1.0).is_done


@pytest.mark.long
def test_a_trace_of_120_megabytes_takes_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "llm_calls.jsonl"
    with path.open("wb") as file:
        while file.tell() < 120_000_000:
            steps = ((f"cat {file.tell()}-{number}", "y" * 2000) for number in range(60))
            file.write(lines_of(conversation(*steps)))
    tracemalloc.start()
    with path.open("rb") as file:
        index = TraceIndex()
        index.extend(file)
        page = list(read_calls(file, index, index.last_line - 19, 20, MOST))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(page) == 20
    assert peak < 20_000_000
