"""The gates that code must pass before it is evaluated: compile, import, signature, one smoke item.

All of it happens inside the sandbox; the host only asks.
"""

import secrets
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from guards.defences import ALL_IN_FORCE, Defence, Without
from guards.sandboxes.sandbox import Running, SandboxEnded

GATE: Final[Mapping[str, Any]] = {"op": "gate"}
"""What asks a sandbox to take its code through compile, import and signature."""
Gate = Literal["compile", "import", "signature", "smoke", "passed"]


class GateResult(msgspec.Struct, frozen=True):
    """The last gate that code reached.

    Attributes:
        passed: True when it may be evaluated.
        gate: The gate that it failed, or `passed`.
        error: One line; empty when it passed.
        ended: Reason of a `SandboxEnded`, where the code ended the sandbox; else empty. A
            `wall_clock` may be the machine's fault.
        is_forged: Whether what came back from the gates is no answer of theirs.
    """

    passed: bool
    gate: Gate
    error: str = ""
    ended: str = ""
    is_forged: bool = False


class _Checked(msgspec.Struct):
    ok: bool
    gate: Gate
    error: str = ""


async def run_gates(
    sandbox_running: Running,
    smoke_inputs: Mapping[str, Any],
    model: str,
    timeout_s: float,
    without: Without = ALL_IN_FORCE,
    token: str = "",
) -> GateResult:
    """Take the code of a `worker` sandbox through all gates.

    Args:
        sandbox_running: A started sandbox with the program `worker`.
        smoke_inputs: Inputs of the right shape that belong to no split.
        model: Name of the evaluation model, as the agent gets it.
        timeout_s: Longest wait for the checks, and again for the smoke item.
        without: Defences that a test has taken away.
        token: Names the smoke item for the code; empty for one that is drawn here.
    """
    gate: Gate = "import"  # compiling runs no code, so what ends the sandbox is the import
    try:
        checked = await _check(sandbox_running, timeout_s)
        if not checked.ok:
            return GateResult(False, checked.gate, checked.error)
        if Defence.SMOKE in without:
            return GateResult(True, "passed")
        gate = "smoke"
        error = await _smoke(sandbox_running, smoke_inputs, model, timeout_s, token)
    except SandboxEnded as ended:
        return GateResult(False, gate, str(ended), ended.reason)
    except msgspec.ValidationError as error:
        told = f"protocol: a malformed answer at the gates ({error})"
        return GateResult(False, gate, told, is_forged=True)
    return GateResult(False, gate, error) if error else GateResult(True, "passed")


async def _check(running: Running, timeout_s: float) -> _Checked:
    return msgspec.convert(await running.request(GATE, timeout_s), _Checked)


async def _smoke(
    running: Running, inputs: Mapping[str, Any], model: str, timeout_s: float, token: str
) -> str:
    token = token or secrets.token_hex(8)
    request = {"op": "predict", "id": token, "inputs": dict(inputs), "model": model}
    reply = await running.request(request, timeout_s)
    if isinstance(reply.get("prediction"), str):
        return ""
    return str(reply.get("error") or "no prediction came back")
