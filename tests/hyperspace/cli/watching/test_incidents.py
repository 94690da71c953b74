"""`hyperspace watch` tells every kind of incident, also those that a later version adds."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from hyperspace.cli.main import main
from hyperspace.kernel.state.manifest import DomainEdit, Incident, Outage, Repair, RunEnd, Stop
from tests.support.runs.begun import begun

LOST = "tinker/gen_0/repo/task_agent.py is missing"
UTC = "2026-01-01T00:00:00Z"
SHOWN: dict[type[Incident], tuple[Incident, str, dict[str, Any]]] = {
    Stop: (
        Stop("usd: $1 of $1", UTC),
        "paused: usd: $1 of $1",
        {"event": "pause", "reached": "usd: $1 of $1", "stopped_utc": UTC},
    ),
    Repair: (
        Repair((LOST,), 1, UTC),
        f"repaired: 1 file made again from the space: {LOST}",
        {"event": "repair", "problems": [LOST], "count": 1, "repaired_utc": UTC},
    ),
    DomainEdit: (
        DomainEdit("own.py:mine", "12ab", UTC),
        "the file of the domain own.py:mine was edited: what comes is scored by other code",
        {"event": "domain_edit", "domain": "own.py:mine", "sha256": "12ab", "noticed_utc": UTC},
    ),
    RunEnd: (
        RunEnd("target", 0.9, 7, UTC, "tinker", 3, 0.95),
        "ended early: reached: tinker gen 3 has 0.950 on validation, and --target-score is 0.9",
        {
            **{"event": "end", "reason": "target", "value": 0.9, "closed": 7, "ended_utc": UTC},
            **{"agent": "tinker", "generation": 3, "score": 0.95},
        },
    ),
    Outage: (
        Outage(
            agent="tinker",
            generation=3,
            call_id="modify//4",
            complaint="ProviderDown: status 500",
            tries=6,
            starts=3,
            sentence="tinker gen 3: the same again",
            paused_utc=UTC,
        ),
        "paused: tinker gen 3: the same again",
        {
            **{"event": "outage", "agent": "tinker", "generation": 3, "call_id": "modify//4"},
            **{"complaint": "ProviderDown: status 500", "tries": 6, "starts": 3},
            **{"sentence": "tinker gen 3: the same again", "paused_utc": UTC},
        },
    ),
}


def test_every_kind_of_incident_has_its_row() -> None:
    assert set(SHOWN) == set(get_args(Incident))


@pytest.mark.parametrize("kind", get_args(Incident))
def test_an_incident_is_shown_for_people_and_for_scripts(
    kind: type[Incident], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    incident, line, fields = SHOWN[kind]
    run = str(begun(tmp_path / "run", incident))
    assert main(["watch", run, "--once"]) == 0
    assert line in capsys.readouterr().out.splitlines()
    assert main(["watch", run, "--once", "--json", "--after", "0"]) == 0
    *events, present = map(json.loads, capsys.readouterr().out.splitlines())
    assert {"sequence": 2, **fields} in events
    assert {"sequence": 2, **fields} in present.values()


def test_all_incidents_of_one_run_are_told_in_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    incidents = [incident for incident, _, _ in SHOWN.values()]
    run = begun(tmp_path / "run", *incidents, *incidents)
    assert main(["watch", str(run), "--once", "--json", "--after", "0"]) == 0
    told = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    names = [fields["event"] for _, _, fields in SHOWN.values()]
    assert [name for name in told if name in names] == names * 2
