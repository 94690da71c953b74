"""`hyperspace serve`: a local model server, to try a setup without paying."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.options.values import port_number, whole_number

if TYPE_CHECKING:
    from hyperspace.serve.behaviour import Behaviour
    from hyperspace.serve.server import ChatServer

SUMMARY = "answer the wire protocols of OpenAI, Anthropic and Fireworks with offline policies"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--port", type=port_number, default=8000, help="0 takes any free one (default: 8000)"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--brain",
        action="append",
        default=[],
        metavar="NAME=POLICY",
        help="let [offline/]POLICY[?key=value], or a script FILE.json, answer for the model NAME, "
        "which may be a pattern like 'claude-*'; every offline policy also answers under its own "
        "name, and names that providers use are answered by default",
    )
    parser.add_argument("--require-key", action="store_true", help="refuse requests without a key")
    group = parser.add_argument_group("faults and latency, the same for each run of a client")
    group.add_argument("--latency-ms", metavar="LOW..HIGH", help="time that each answer takes")
    group.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="KIND=RATE",
        help="share of requests that meet a fault: 429=0.1, 500, 529, cut, malformed, slow, hang, "
        "null_ids, empty, no_finish, stream_error, overflow",
    )
    group.add_argument("--faults", type=Path, metavar="FILE.toml", help="rates and a script")
    group.add_argument(
        "--seed", type=whole_number, default=0, help="decides which requests (default: 0)"
    )
    group.add_argument(
        "--retry-after-s", type=_seconds, default=1.0, help="what a 429 asks for (default: 1)"
    )
    group.add_argument(
        "--slow-s", type=_seconds, default=1.0, help="how long a slow answer takes (default: 1)"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM."""
    import anyio

    from hyperspace.serve.errors import BadFaults
    from hyperspace.serve.policies import ServedPolicies
    from hyperspace.serve.server import ChatServer

    try:
        server = ChatServer(
            ServedPolicies.from_specs(args.brain), args.host, args.port, _behaviour(args)
        )
    except BadFaults as error:
        sys.stderr.write(f"hyperspace: {error}\n")
        return 2
    return anyio.run(_serve, server, args)


def _behaviour(args: argparse.Namespace) -> "Behaviour":
    from hyperspace.serve.behaviour import Behaviour, Latency, parse_latency
    from hyperspace.serve.faults import FaultFile, Faults, parse_rate, read_fault_file

    file = read_fault_file(args.faults) if args.faults else FaultFile()
    rates = {**file.rates, **dict(map(parse_rate, args.fault))}
    return Behaviour(
        faults=Faults(rates, file.rules, args.seed, file.in_a_row),
        latency=parse_latency(args.latency_ms) if args.latency_ms else Latency(),
        seed=args.seed,
        retry_after_s=args.retry_after_s,
        slow_s=args.slow_s,
        require_key=args.require_key,
    )


async def _serve(server: "ChatServer", args: argparse.Namespace) -> int:
    import signal
    from contextlib import AsyncExitStack

    import anyio

    from hyperspace.cli.failures import USAGE, cannot_listen
    from hyperspace.executor.background import background
    from hyperspace.kernel.run.blocked_loop import tell_of_blocks

    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(background())
        tasks.start_soon(tell_of_blocks)
        ends = (signal.SIGINT, signal.SIGTERM)
        signals = stack.enter_context(anyio.open_signal_receiver(*ends))
        try:
            await stack.enter_async_context(server.serving())
        except OSError as error:
            sys.stderr.write(f"hyperspace: {cannot_listen(args.host, args.port, error)}\n")
            return USAGE
        models = ", ".join(server.policies.names())
        sys.stdout.write(
            f"serving {models} at {server.url} (Ctrl-C stops)\n"
            f"  OPENAI_BASE_URL={server.url} ANTHROPIC_BASE_URL={server.root} "
            f"FIREWORKS_BASE_URL={server.fireworks_url}\n"
            f"  what was asked: {server.root}/stats\n"
        )
        sys.stdout.flush()
        await anext(aiter(signals))
    sys.stdout.write(f"stopped after {server.stats.snapshot()['requests']} requests\n")
    return 0


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return seconds
