"""What parsers read, to be mutated."""

import io

import msgspec

from hyperspace.executor.door.wire import Hello
from hyperspace.executor.jobs import JobId
from hyperspace.messages import ToolSpec
from hyperspace.runs.exports.archives import Kind, writing

JSONL = b'{"agent": "a", "purpose": "modify", "messages": [], "response": "x"}\n'
CHUNK = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "a", "tool_calls": [{"index": 0, "id": '
    b'"c", "function": {"name": "bash", "arguments": "{}"}}]}, "finish_reason": "stop"}]}\n\n'
)
MESSAGE = (
    b'data: {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}}\n\n'
    b'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": '
    b'""}}\n\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", '
    b'"text": "a"}}\n\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'
)
RESPONSE = (
    b'data: {"type": "response.completed", "response": {"status": "completed", "output": [{"type": '
    b'"message", "content": [{"type": "output_text", "text": "a"}]}]}}\n\n'
)
CHAT = (
    b'{"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": 9, "input": "a"}'
)
CODE = b"X = [1, -2.5]\nclass TaskAgent:\n    def forward(self, inputs):\n        return 'a'  # b\n"
DIFF = b"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
CHAT_FRAME = b'{"op": "chat", "model": "m", "messages": [{"role": "user", "content": "a"}]}'
NEED_FRAME = b'{"op": "need", "question": "why?", "blocking": false}'
HELLO = msgspec.msgpack.encode(Hello(JobId("a"), "b", "job"))
BASH = ToolSpec(
    "bash", "", {"properties": {"command": {"type": "string"}, "n": {"type": "integer"}}}
)
TASK = 'name = "a"\nmetric = "m"\nprompt = "p"\n'
TESTS = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
TABLE = b"arm,seed,generation,val_score\r\na,1,0,0.5\r\n"
ENVIRONMENT = (
    b'name = "a"\n[repository]\npath = "."\n[job]\ncommand = ["python", "x"]\n[job.artefacts.w]\n'
    b'format = "json"\n[evaluation]\npath = "x"\ncommand = ["python"]\nmetric = "m"\n[scales.b]\n'
)
FLEET = b'name = "a"\ndomain = "repo_quality"\n[[agents]]\nmodel = "offline/tinker"\ncount = 2\n'
PRICES = (
    b'format = 1\n[[provider]]\nname = "a"\nmodels = [{ id = "b", input = 1.75, output = 1 }]\n'
)
HEADER = b'{"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}'
SAFETENSORS = len(HEADER).to_bytes(8, "little") + HEADER + bytes(4)
KINDS: tuple[Kind, ...] = ("tar.gz", "tar.zst", "zip")
VERIFIED = ("binpack", "packing", "sortnet", "support", "vx")


def packed(kind: Kind) -> bytes:
    file = io.BytesIO()
    with writing(file, kind) as put:
        put("run/a", b"a" * 1000)
    return file.getvalue()
