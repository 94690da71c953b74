"""Attacks on the broker: through its socket, with the real thing on the other end."""

import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from guards.defences import Defence
from guards.sandboxes.bubblewrap.bubblewrap import lent_broker
from guards.sandboxes.sandbox import Job
from hyperspace.attacks.attack import AttackScene
from hyperspace.attacks.plays.inside import ask
from hyperspace.attacks.workspace import LIMITS, with_task_agent
from hyperspace.broker.broker import Broker, BrokerLimits
from hyperspace.lookup.offline import OfflineModel
from hyperspace.offline.policies.scripted import ScriptedPolicy, ScriptedReply
from hyperspace.tracing.traces import Recorder

MODEL = "offline/scripted"
BOUNDS: Mapping[Defence, str] = {
    Defence.BROKER_FRAME: "frame_bytes",
    Defence.BROKER_PARTS: "parts",
    Defence.BROKER_CALLS: "calls",
    Defence.BROKER_ITEM_CALLS: "calls_per_item",
    Defence.BROKER_CHARACTERS: "characters",
    Defence.BROKER_CONNECTIONS: "connections",
}
NO_BOUND = 1 << 30
SMALL = BrokerLimits(
    calls=6, calls_per_item=6, frame_bytes=50_000, connections=4, characters=60_000
)
CLIENT = """
import json, os, socket, struct


def connect(path=None):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    s.connect(path or os.environ["HYPERSPACE_BROKER"])
    return s


def frame(**changes):
    chat = {"op": "chat", "model": "offline/scripted", "messages": [message("hi")]}
    return json.dumps({**chat, **changes}).encode()


def message(text, **more):
    return {"role": "user", "content": text, **more}


def receive(s):
    head = s.recv(4, socket.MSG_WAITALL)
    assert len(head) == 4, "closed"
    return json.loads(s.recv(struct.unpack(">I", head)[0], socket.MSG_WAITALL))


def ask(s, body):
    s.sendall(struct.pack(">I", len(body)) + body)
    answer = receive(s)
    assert answer["ok"], answer["error"]
    return answer["reply"]["text"]
"""


class Asks(msgspec.Struct, frozen=True):
    """Tries to get more of the broker than is its own.

    Attributes:
        code: Body of a task agent's `forward`; `i["peer"]` is the socket of another sandbox.
        refused: Pattern of what it runs into.
        limits: What it may ask.
        expected: The verdict when the broker does not do it.
    """

    code: str
    refused: str
    limits: BrokerLimits = SMALL
    expected: str = "refused"

    async def play(self, scene: AttackScene) -> str:
        """Run it between its own broker and that of another sandbox."""
        gone = {BOUNDS[defence]: NO_BOUND for defence in scene.without & BOUNDS.keys()}
        limits = msgspec.structs.replace(self.limits, **gone)
        files = with_task_agent(self.code, CLIENT)
        with tempfile.TemporaryDirectory(prefix="hyperspace-traces-") as name:
            async with (
                _broker(Path(name, "own"), limits, scene) as broker,
                _broker(Path(name, "peer"), BrokerLimits(), scene) as other,
            ):
                job = Job("worker", files, broker, scene.bounded(LIMITS))
                broker.begin_item("val", "one")
                peer = lent_broker(msgspec.structs.replace(job, broker=other))
                inputs = {**scene.target.facts, "peer": f"{peer}/s"}
                return await ask(scene.sandbox, job, inputs, self.refused) or self.expected


@asynccontextmanager
async def _broker(trace: Path, limits: BrokerLimits, scene: AttackScene) -> AsyncGenerator[Broker]:
    model = OfflineModel(MODEL, ScriptedPolicy([ScriptedReply(text="an answer")]))
    with Recorder(trace) as recorder:
        async with Broker(model, recorder, limits=limits, without=scene.without) as broker:
            yield broker
