"""The lines of audit.jsonl (docs/reference/run-layout.md)."""

from evolution.state.manifest import Closing, Incident, Repair, Stop, Violation

DAMAGE = "damage"


def audit_line(closing: Closing, violation: Violation) -> dict[str, object]:
    """Make the line of what the guard refused in a generation, or of what a policy found."""
    return {
        "agent": closing.manifest.agent,
        "generation": closing.manifest.generation,
        "kind": violation.topic,
        "what": violation.what,
        "path": violation.path,
        "verdict": violation.verdict,
        "reason": violation.reason,
        "evidence": violation.evidence,
        "recorded_utc": closing.closed_utc,
    }


def incident_line(incident: Incident) -> dict[str, object]:
    """Make the line of an incident of the whole run, which belongs to no agent."""
    line = _stop_line(incident) if isinstance(incident, Stop) else _repair_line(incident)
    return {"agent": "", "generation": None, "path": "", **line}


def _stop_line(stop: Stop) -> dict[str, object]:
    return {
        "kind": "budget",
        "what": "the run reached a limit",
        "verdict": "paused",
        "reason": stop.reached,
        "evidence": {},
        "recorded_utc": stop.stopped_utc,
    }


def _repair_line(repair: Repair) -> dict[str, object]:
    return {
        "kind": DAMAGE,
        "what": f"{repair.count} files were lost or changed since they were closed",
        "verdict": "repaired",
        "reason": "made again from the space, with the hashes that the closing marks name",
        "evidence": {"problems": list(repair.problems)},
        "recorded_utc": repair.repaired_utc,
    }
