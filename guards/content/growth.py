"""Code that grows: size and complexity against the parent, and size against the peers in sight."""

from guards.content.base import ContentFinding, Revision

GROWS_BY = 1.5  # times the parent's
LEAST_BYTES = 2_000  # more than the parent; less is a few lines whatever the factor
LEAST_DECISIONS = 20
BEYOND_PEERS = 3.0  # times the largest peer's


class Growth:
    """Finds `size`, `complexity` (branches and conditions) and `peers` (size beside theirs)."""

    name = "growth"

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Compare a file with its parent's and its peers'; a new file has no parent to outgrow."""
        before, after = (len(source.text.encode()) for source in (revision.before, revision.after))
        was, now = (source.reading.decisions for source in (revision.before, revision.after))
        largest = max((len(text.encode()) for text in revision.peers.values()), default=0)
        grown: dict[str, str] = {}
        if before and _outgrows(before, after, LEAST_BYTES):
            grown["size"] = f"{before} to {after} bytes"
        if before and _outgrows(was, now, LEAST_DECISIONS):
            grown["complexity"] = f"{was} to {now} decisions"
        if largest and after > max(before, BEYOND_PEERS * largest, largest + LEAST_BYTES):
            grown["peers"] = f"{after} bytes, the largest peer in sight {largest}"
        return [ContentFinding(revision.path, 1, kind, quote, 1) for kind, quote in grown.items()]


def _outgrows(before: int, after: int, least: int) -> bool:
    return after > GROWS_BY * before and after - before > least
