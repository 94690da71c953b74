"""Why a node of a cluster plays nothing."""

import msgspec

from hyperspace.executor.program import ProgramVersion
from hyperspace.executor.ray.nodes import ClusterNode, NodeReport

WANTED = ProgramVersion("3.12.3", "c0de")
GOOD = NodeReport("a", "3.12.3", "c0de", {"bubblewrap": ""}, [], "/tmp", 10**9)


def test_a_node_with_another_python_is_refused_with_both_versions() -> None:
    assert not node(GOOD).refusal(WANTED)
    other = msgspec.structs.replace(GOOD, python="3.11.2")
    assert node(other).refusal(WANTED) == "it has Python 3.11.2, and the coordinator 3.12.3"


def node(report: NodeReport) -> ClusterNode:
    return ClusterNode("1", "a", {"CPU": 2.0}, report)
