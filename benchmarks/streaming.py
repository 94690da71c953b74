"""CPU time of reading a streamed reply, beside the same reply in one piece.

A server in a process of its own sends one event a token: all at once, and at the pace of a model.
Of the whole, what our own code takes is measured on bytes that are there already.
"""

import json
import subprocess
import sys
import time
from typing import Any, Final

import anyio

from hyperspace.lookup.resolve import resolve
from hyperspace.messages import ChatRequest, Message
from hyperspace.models.chat.reply import CompletionAssembly
from hyperspace.models.streaming import EventReader
from hyperspace.models.target import ModelTarget

TOKENS: Final = 1000
REPEATS: Final = 10
PACE_S: Final = 0.02
_HEAD: Final = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_DELTA: Final[dict[str, Any]] = {"index": 0, "delta": {"content": " word"}, "finish_reason": None}
_END: Final[dict[str, Any]] = {"index": 0, "delta": {}, "finish_reason": "stop"}
_SERVER: Final = """
import json, re, socket, sys, time
pieces, whole, pace_s = json.loads(sys.stdin.readline())
whole = whole.encode()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    data = b""
    while more := client.recv(65536):
        data += more
        head, _, body = data.partition(b"\\r\\n\\r\\n")
        length = re.search(rb"(?i)content-length: (\\d+)", head)
        if length is None or len(body) < int(length[1]):
            continue
        data = b""
        if b'"stream":true' not in body.replace(b" ", b""):
            head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
            client.sendall(head + b"Content-Length: %d\\r\\n\\r\\n%b" % (len(whole), whole))
            continue
        client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n"
                       b"Transfer-Encoding: chunked\\r\\n\\r\\n")
        for piece in pieces:
            client.sendall(b"%x\\r\\n%b\\r\\n" % (len(piece), piece.encode()))
            time.sleep(pace_s)
        client.sendall(b"0\\r\\n\\r\\n")
"""


def main() -> None:
    """Measure; the goal is 1 ms for 100 tokens in our own code."""
    events = [json.dumps({**_HEAD, "choices": [piece]}) for piece in [_DELTA] * TOKENS + [_END]]
    pieces = [f"data: {event}\n\n" for event in [*events, "[DONE]"]]
    own_ms = _own_ms(pieces)
    print(f"Streaming, CPU time for 100 tokens ({REPEATS} replies of {TOKENS} tokens)")
    print(f"  our own code: {own_ms:.2f} ms")
    for told, pace_s, repeats in (("all at once", 0.0, REPEATS), ("50 a second", PACE_S, 1)):
        more_ms = _more_ms(pieces, pace_s, repeats)
        print(f"  with SDK and HTTP, {told}: {more_ms:.2f} ms more than in one piece")


def _own_ms(pieces: list[str]) -> float:
    target = ModelTarget("m", "http://127.0.0.1:1/v1", "key", "KEY")
    parts = [piece.encode() for piece in pieces]
    start = time.process_time()
    for _ in range(REPEATS):
        reader = EventReader(CompletionAssembly(target), target)
        for part in parts:
            reader.feed(part)
        reader.answer()
    return (time.process_time() - start) * 1000 / REPEATS / TOKENS * 100


def _more_ms(pieces: list[str], pace_s: float, repeats: int) -> float:
    message = {"role": "assistant", "content": " word" * TOKENS}
    whole = json.dumps({"choices": [{**_END, "message": message}], "model": "m"})
    command = [sys.executable, "-c", _SERVER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        try:
            if server.stdin is None or server.stdout is None:
                raise TypeError("pipes were asked for")
            server.stdin.write(json.dumps([pieces, whole, pace_s]) + "\n")
            server.stdin.flush()
            url = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            streamed = anyio.run(_ask_ms, f"m@{url}?stream=on", repeats)
            unstreamed = anyio.run(_ask_ms, f"m@{url}?stream=off", repeats)
        finally:
            server.terminate()
    return (streamed - unstreamed) / TOKENS * 100


async def _ask_ms(name: str, repeats: int) -> float:
    """CPU time of one call in milliseconds."""
    model = resolve(name, environ={})
    request = ChatRequest("m", (Message("user", "hi"),))
    try:
        start = time.process_time()
        for _ in range(repeats):
            await model.complete(request)
        return (time.process_time() - start) * 1000 / repeats
    finally:
        await model.aclose()
