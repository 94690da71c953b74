"""The lines of audit.jsonl (docs/reference/run-layout.md)."""

from msgspec import UNSET

from hyperspace.kernel.state.manifest import (
    Closing,
    DomainEdit,
    Incident,
    Outage,
    RunEnd,
    Stop,
    Violation,
)

DAMAGE, DOMAIN, END, OUTAGE = "damage", "domain", "end", "outage"


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
    of_run = {"agent": "", "generation": None, "path": ""}
    if isinstance(incident, Stop):
        return {
            **of_run,
            "kind": "budget",
            "what": "the run reached a limit",
            "verdict": "paused",
            "reason": incident.reached,
            "evidence": {},
            "recorded_utc": incident.stopped_utc,
        }
    if isinstance(incident, Outage):
        fields = ("agent", "generation", "call_id", "complaint", "tries", "starts")
        return {
            **of_run,
            "kind": OUTAGE,
            "what": "a model did not answer",
            "verdict": "paused",
            "reason": incident.sentence,
            "evidence": {name: getattr(incident, name) for name in fields},
            "recorded_utc": incident.paused_utc,
        }
    if isinstance(incident, RunEnd):
        is_count = incident.reason == "patience"  # what is read back of the space is a float
        value = int(incident.value) if is_count else incident.value
        return {
            **of_run,
            "kind": END,
            "what": "the run ended before its last generation",
            "verdict": "flagged",
            "reason": incident.sentence,
            "evidence": {"reason": incident.reason, "value": value},
            "recorded_utc": incident.ended_utc,
        }
    if isinstance(incident, DomainEdit):
        return {
            **of_run,
            "kind": DOMAIN,
            "what": f"the file of {incident.code} was edited",
            "verdict": "flagged",
            "reason": "what was played before was scored by other code than what comes after"
            if incident.extension is UNSET
            else "what was played before was made with other code than what comes after",
            "evidence": {"sha256": incident.sha256},
            "recorded_utc": incident.noticed_utc,
        }
    return {
        **of_run,
        "kind": DAMAGE,
        "what": f"{incident.count} files were lost or changed since they were closed",
        "verdict": "repaired",
        "reason": "made again from the space, with the hashes that the closing marks name",
        "evidence": {"problems": list(incident.problems)},
        "recorded_utc": incident.repaired_utc,
    }
