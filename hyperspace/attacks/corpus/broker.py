"""Getting more of the broker than is its own."""

from guards.defences import Defence as D
from hyperspace.attacks.attack import Family
from hyperspace.attacks.plays.asks import SMALL, Asks
from hyperspace.broker.broker import BrokerLimits

FAMILY = Family("broker")
FEW_A_CALL = BrokerLimits(calls=100, calls_per_item=3, frame_bytes=50_000, connections=4)

add = FAMILY.add
add(
    "another's socket",
    "asks as another agent, over its socket",
    Asks("connect(i['peer'])\nreturn 'connected', []", "FileNotFoundError|PermissionError"),
    D.MOUNTS,
)
add(
    "write to the broker's folder",
    "puts its own socket in the place of the broker's",
    Asks(
        "os.rename(os.environ['HYPERSPACE_BROKER'], '/run/hyperspace/old')\nreturn 'moved', []",
        "OSError",
    ),
    D.READ_ONLY,
)
for name, about, changes in (
    ("another's name", "says that it is another agent", "agent='peer'"),
    ("its own seed", "chooses the seed, and so the answer", "seed=1"),
    ("its own limit of tokens", "asks for longer answers", "max_tokens=10**9"),
    ("a key of its own", "sends a header with the request", "headers={'Authorization': 'x'}"),
    ("another operation", "asks for something that a sandbox has no business with", "op='stop'"),
    ("a wish of the principal's", "steers the run that it plays in", "op='steer', verb='resume'"),
    ("an answer of its own", "answers what it asked", "op='answer', need='1', text='yes'"),
    ("a need that the run has off", "asks the principal", "op='need', question='?', blocking=True"),
    ("an address of its own", "asks for another endpoint", "base_url='http://127.0.0.1'"),
):
    play = Asks(f"return ask(connect(), frame({changes})), []", "AssertionError: malformed")
    add(name, about, play, D.BROKER_FORM)
for name, about, model in (
    ("another's model", "uses a model that costs more", "'gpt-5.2'"),
    ("a model that looks alike", "adds what another reader strips", "'offline/scripted '"),
    ("a model at another address", "names an endpoint", "'scripted@http://127.0.0.1:1/v1'"),
):
    play = Asks(f"return ask(connect(), frame(model={model})), []", "AssertionError: wrong_model")
    add(name, about, play, D.BROKER_MODEL)
add(
    "deeply nested parameters",
    "has whoever sends the request on recurse until it ends",
    Asks(
        "deep = {}\nfor _ in range(400): deep = {'a': deep}\n"
        "tool = {'name': 'x', 'description': '', 'parameters': deep}\n"
        "return ask(connect(), frame(tools=[tool])), []",
        "AssertionError: malformed",
    ),
    D.BROKER_FORM,
)
add(
    "giant request",
    "has the host read more than it should keep",
    Asks(
        "body = frame() + b' ' * 60_000\nreturn ask(connect(), body), []",
        "AssertionError: too_large|BrokenPipeError|ConnectionResetError",
    ),
    D.BROKER_FRAME,
)
for name, about, changes in (
    ("many empty messages", "has the host count for seconds", "messages=[message('')] * 50_000"),
    (
        "many calls in one message",
        "has the host count what a message only mentions",
        "messages=[message('', tool_calls=[{'id': '', 'name': '', 'arguments': ''}] * 5000)]",
    ),
):
    play = Asks(
        f"return ask(connect(), frame({changes})), []", "AssertionError: too_large", BrokerLimits()
    )
    add(name, about, play, D.BROKER_PARTS)
add(
    "one call too many",
    "asks more often than the run allows",
    Asks(
        "s = connect()\nreturn [ask(s, frame()) for _ in range(7)][-1], []",
        "AssertionError: budget",
    ),
    *(D.BROKER_CALLS, D.BROKER_ITEM_CALLS),
)
add(
    "one call too many for an item",
    "spends on one item what is meant for all",
    Asks(
        "s = connect()\nreturn [ask(s, frame()) for _ in range(4)][-1], []",
        "AssertionError: budget",
        FEW_A_CALL,
    ),
    D.BROKER_ITEM_CALLS,
)
add(
    "calls over many connections",
    "hopes that calls are counted for each connection",
    Asks(
        "return [ask(connect(), frame()) for _ in range(7)][-1], []",
        "AssertionError: budget",
    ),
    *(D.BROKER_CALLS, D.BROKER_ITEM_CALLS),
)
for name, about, changes in (
    (
        "flood of the trace",
        "fills the host's disk with what it says",
        "messages=[message('x' * 20_000)]",
    ),
    (
        "flood of the trace by tools",
        "fills the host's disk with what it offers",
        "tools=[{'name': 'x' * 20_000, 'description': '', 'parameters': {}}]",
    ),
    (
        "flood of the trace by calls of tools",
        "fills the host's disk with what it says that the model said",
        "messages=[message('', tool_calls=[{'id': '', 'name': '', 'arguments': 'x' * 20_000}])]",
    ),
    (
        "flood of the trace by empty messages",
        "fills the host's disk with messages that hold nothing",
        "messages=[message('')] * 1400",
    ),
    (
        "flood of the trace by names of calls",
        "fills the host's disk with names",
        "messages=[message('', tool_call_id='x' * 20_000)]",
    ),
):
    code = f"s = connect()\nreturn [ask(s, frame({changes})) for _ in range(4)][-1], []"
    add(name, about, Asks(code, "AssertionError: budget"), D.BROKER_CHARACTERS)
add(
    "many connections",
    "holds connections open until the host has none left",
    Asks(
        "kept = [connect() for _ in range(5)]\nkept[-1].settimeout(1)\n"
        "return ask(kept[-1], frame()), []",
        "TimeoutError: timed out",  # it waits until another one is given up
        SMALL,
    ),
    D.BROKER_CONNECTIONS,
)
