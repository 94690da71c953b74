"""What the analysis says of one run, in the same form as its labels."""

from collections.abc import Mapping
from pathlib import Path

from runs.folders import read_run
from transfer_experiment.adoption.causal_rule import adopted
from transfer_experiment.analysis import findings_of, judge
from transfer_experiment.detectors import all_detectors
from transfer_experiment.findings.kind import Case


def claims_of(path: Path) -> Mapping[str, frozenset[Case]]:
    """Run every detector on a finished run, and gather what is scored by its measure.

    Raises:
        StoreError: Its space cannot be read.
    """
    run = read_run(path)
    by_agent = judge(run, rules=("causal",))
    findings = findings_of(run, by_agent)
    events = [event for agent in by_agent.values() for event in adopted(agent.causal)]
    claims: dict[str, frozenset[Case]] = {
        "adoption": frozenset((event.agent, str(event.generation)) for event in events)
    }
    for detector in all_detectors():
        if (measure := detector.kind.measure) is not None:
            cases = (case for f in findings.of(detector.kind.name) for case in measure.cases(f))
            claims[measure.name] = claims.get(measure.name, frozenset()) | frozenset(cases)
    return claims
