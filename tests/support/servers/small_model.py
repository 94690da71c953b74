"""A server of a scripted model that answers only as small language models were seen to answer.

Calls stand in the text (`echo` for ever, or the same `view` again and again), blocks hold what
changes by name, prose comes first, and what is longer than 500 tokens is cut off. What it changes
is drawn: some of it is right. Equal requests get equal replies.
"""

import hashlib
import json
import random
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal

Size = Literal["0.5b", "1.5b", "edits"]
CUT_CHARACTERS: Final = 2_000  # 500 tokens
_RIGHT: Final = {
    "characters": (1, 254),
    "odd characters": (0, 0),
    "at signs": (1, 1),
    "local characters": (1, 64),
    "odd local characters": (0, 0),
    "local dots at an end": (0, 0),
    "local double dots": (0, 0),
    "bare quotes": (0, 0),
    "labels": (2, 99),
    "empty labels": (0, 0),
    "longest label": (1, 63),
    "odd domain characters": (0, 0),
    "hyphens at an end": (0, 0),
    "octets": (4, 4),
    "largest octet": (0, 255),
    "padded octets": (0, 0),
}


def reply_to(body: dict[str, Any], size: Size) -> str:
    """The text of a reply: a pure function of the request."""
    messages = [str(message.get("content") or "") for message in body["messages"]]
    drawn = hashlib.sha256(json.dumps([messages, body.get("seed")]).encode()).digest()
    rng = random.Random(drawn)
    asks_for_block = "```" in messages[0] and not body.get("tools")
    if asks_for_block or (size == "1.5b" and "Without tools" in messages[0] and rng.random() < 0.3):
        return _block(messages[0], rng)
    if size == "edits":
        return _edit(messages, rng)
    if size == "0.5b":
        if len(messages) > 2:
            return "The command printed `Hello, world!`. The code works now."
        return f"Sure! I will run it.\n\n```json\n{_call('bash', command=_HELLO)}\n```"
    return _call("editor", command="view", path="/workspace/task_agent.py")


_HELLO: Final = "echo 'Hello, world!'"


def _call(name: str, **arguments: str) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def _edit(messages: list[str], rng: random.Random) -> str:
    if len(messages) > 1:
        return "I changed the threshold."
    threshold = f"THRESHOLD = {rng.uniform(2.5, 3.3):.2f}"
    return _call("bash", command=f"sed -i 's/^THRESHOLD = .*/{threshold}/' task_agent.py")


def _block(prompt: str, rng: random.Random) -> str:
    code = prompt[prompt.index("```python\n") :].partition("\n```\n")[0]
    changes = _bounds(code, rng) if "BOUNDS" in code else _figures(code, rng)
    prose = rng.choice(["", "Sure! Here is the improved code:\n\n", "To improve the score, "])
    text = f"{prose}```python\n{changes}\n```\nThis should make the score better."
    if rng.random() < 0.3:  # it goes on, and is cut off in the middle of something
        text = f"{prose}```python\n{changes}\n\n\ndef helper(values):\n    return [\n"
        text += "        1.0,\n" * 200
    return text if rng.random() < 0.8 else "I would suggest to look at the items again."


def _bounds(code: str, rng: random.Random) -> str:
    bounds = dict(re.findall(r'"([a-z ]+)": (\(-?\d+, \d+\))', code))
    for name in rng.sample(sorted(bounds), 4):
        least, most = _RIGHT.get(name, (0, 1)) if rng.random() < 0.6 else (0, rng.randint(0, 200))
        bounds[name] = f"({least}, {most})"
    rows = "".join(f'    "{name}": {pair},\n' for name, pair in bounds.items())
    return f"BOUNDS = {{\n{rows}}}"


def _figures(code: str, rng: random.Random) -> str:
    weights = re.findall(r'"(\w+)": ([\d.]+),', code)
    rows = "".join(f'    "{k}": {float(v) * rng.uniform(0.5, 1.6):.3g},\n' for k, v in weights)
    changed = f"WEIGHTS = {{\n{rows}}}\n"
    return changed + f"THRESHOLD = {rng.uniform(2.4, 3.4):.3g}" * (rng.random() < 0.7)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    size: Size
    weights: dict[str, Any]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.endswith("/chat/completions"):
            return self.send_error(404)
        text = reply_to(body, self.size)
        is_cut = len(text) > CUT_CHARACTERS
        usage = {"prompt_tokens": len(str(body)) // 4, "completion_tokens": len(text) // 4}
        choice = {"index": 0, "finish_reason": "length" if is_cut else "stop"}
        content = {"role": "assistant", "content": text[:CUT_CHARACTERS]}
        answer: dict[str, Any] = {"id": "x", "object": "chat.completion", "model": self.size}
        answer |= {"choices": [{**choice, "message": content}], "usage": usage}
        if not body.get("stream"):
            return self._send("application/json", json.dumps(answer))
        chunk = {**answer, "object": "chat.completion.chunk"}
        chunk["choices"] = [{**choice, "delta": content}]
        return self._send("text/event-stream", f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n")

    def do_GET(self) -> None:
        entry = {"id": "small", "meta": self.weights}
        self._send("application/json", json.dumps({"data": [entry]}))

    def _send(self, kind: str, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's word
        pass


@contextmanager
def small_model(size: Size, weights: dict[str, Any] | None = None) -> Generator[str]:
    """Serve the model on a port of this machine; yields its name for a command line.

    Args:
        size: As what it answers.
        weights: What it says of its weights, as llama.cpp does; may change meanwhile.
    """
    handler = type("Handler", (_Handler,), {"size": size, "weights": weights})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"small-{size}@http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
